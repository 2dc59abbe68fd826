import type { Browser, Cabinet } from './cabinet.ts'
import { textOf } from './html.ts'

type Test = { teardown: (end: () => unknown) => void }

interface Options {
  /** The order whose page is open. */
  order?: number
  headers?: Record<string, string>
}

/** A page's stream: what it hears, as it comes. */
export async function listen(t: Test, { app }: Cabinet, browser: Browser, { order, headers = {} }: Options = {}) {
  const origin = app.server.listening ? app.listeningOrigin : await app.listen({ host: '127.0.0.1', port: 0 })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const answer = await fetch(`${origin}/notifications/stream${order ? `?order=${order}` : ''}`, {
    headers: { accept: 'text/html, text/event-stream', 'accept-encoding': 'gzip, br', cookie, ...headers },
    signal: closing.signal,
    redirect: 'manual',
  })
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let waiting = ''
  /** The next event, its markup taken off; undefined at the end. */
  const nextEvent = async (): Promise<string | undefined> => {
    while (!waiting.includes('\n\n')) {
      const { done, value } = await reader.read()
      if (done) return undefined
      waiting += value
    }
    const [event = ''] = waiting.split('\n\n')
    waiting = waiting.slice(event.length + 2)
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
    return `${name} ${textOf(data ?? '')}`.trim()
  }
  /** The next one that says something, which heartbeats do not. */
  const next = async (): Promise<string | undefined> => {
    const event = await nextEvent()
    return event === 'heartbeat' ? next() : event
  }
  return { answer, next, nextEvent }
}
