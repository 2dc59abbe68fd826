/** What the service answers; nothing where it cannot be reached. A proxy whose service is down answers with a page of its own, too. */
export async function reach() {
  // An asset of an older version is missing, which is an answer.
  const place = document.getElementById('bell')?.dataset.count ?? import.meta.url
  const options = { method: 'HEAD', cache: 'no-store', headers: { 'HX-Request': 'true' }, signal: AbortSignal.timeout(20_000) }
  const answer = await fetch(place, options).catch(() => undefined)
  return answer && answer.status < 500 ? answer : undefined
}

let recovery

/** Resolves once the service is back, of which no event tells. */
export function whenReached() {
  recovery ??= new Promise((resolve) => {
    const timer = setInterval(look, 3000)
    addEventListener('online', look)
    async function look() {
      if (!(await reach())) return
      clearInterval(timer)
      removeEventListener('online', look)
      recovery = undefined
      resolve()
    }
  })
  return recovery
}
