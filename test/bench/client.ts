/** Somebody with a browser, as far as a benchmark needs one. */
export class Client {
  private readonly origin: string
  cookie = ''

  constructor(origin: string) {
    this.origin = origin
  }

  async signIn(person: { email: string; password: string }): Promise<void> {
    const answer = await this.send('/login', new URLSearchParams(person))
    this.cookie = answer.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
    if (answer.status !== 303 || !this.cookie) throw new Error(`${person.email} cannot sign in: ${answer.status}`)
  }

  async text(path: string): Promise<string> {
    const answer = await fetch(this.origin + path, { headers: { cookie: this.cookie, 'accept-encoding': 'identity' } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} for ${path}: ${text.slice(0, 500)}`)
    return text
  }

  /** Reads a large answer without keeping it. */
  async drain(path: string): Promise<number> {
    const answer = await fetch(this.origin + path, { headers: { cookie: this.cookie, 'accept-encoding': 'identity' } })
    if (!answer.ok || !answer.body) throw new Error(`${answer.status} for ${path}`)
    let bytes = 0
    for await (const chunk of answer.body) bytes += chunk.length
    return bytes
  }

  /** @returns where the answer leads */
  async post(path: string, body: URLSearchParams | FormData): Promise<string> {
    const answer = await this.send(path, body)
    const text = await answer.text()
    if (answer.status >= 400) throw new Error(`${answer.status} for ${path}: ${text.slice(0, 3000)}`)
    return answer.headers.get('location') ?? ''
  }

  /** Whatever the answer is, or none because the service had read enough. */
  async attempt(path: string, type: string, body: string): Promise<void> {
    const headers = { cookie: this.cookie, 'content-type': type }
    const answer = await fetch(this.origin + path, { method: 'POST', body, headers, redirect: 'manual' }).catch(() => undefined)
    await answer?.text().catch(() => undefined)
  }

  private send(path: string, body: URLSearchParams | FormData): Promise<Response> {
    return fetch(this.origin + path, { method: 'POST', body, headers: { cookie: this.cookie }, redirect: 'manual' })
  }
}
