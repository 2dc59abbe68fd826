// Says in place of the browser that the cabinet cannot be reached. It keeps that page alone, which is nobody's, and no other.
const page = new URL('offline', location)
const { navigationPreload } = registration

addEventListener('install', (event) => event.waitUntil(keepPage().then(skipWaiting)))
addEventListener('activate', (event) => event.waitUntil(navigationPreload?.enable()))

async function keepPage() {
  const cache = await caches.open('offline')
  await cache.add(new Request(page, { credentials: 'omit', cache: 'reload' }))
}

// The browser itself asks for the page, as if there were no worker: what the worker asked for would seem to come from the cabinet.
addEventListener('fetch', (event) => {
  const { mode, method } = event.request
  if (navigationPreload && mode === 'navigate' && method === 'GET') event.respondWith(answer(event))
})

async function answer({ preloadResponse, request }) {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return (await caches.match(page)) ?? Response.error()
  }
}
