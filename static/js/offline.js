// Where it cannot be had, such as without HTTPS, pages do without it.
const { worker } = document.querySelector('script[data-worker]')?.dataset ?? {}
if (worker) navigator.serviceWorker?.register(worker).catch(() => {})
