import { once } from 'node:events'
import type { IncomingMessage, RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { firstCharacters } from '../../../core/text.ts'
import { nodeHttp } from '../../../http/node-http.ts'
import { isPublic, lookupPublic, PrivateAddress } from './addresses.ts'

interface Message {
  message_id: string
  body: string
}

export interface Answer {
  /** Empty where there was none. */
  status: number | null
  /** Its beginning, or why there was none. */
  text: string
}

interface Receiver {
  url: string
  secret: string
}

interface Limits {
  /** For the whole exchange, in milliseconds. */
  timeout: number
  /** Names of hosts that may be on a private network. */
  hosts: ReadonlySet<string>
}

const answerLength = 300

/** The name of the host that an address leads to, as it stands in `WEBHOOK_HOSTS`. */
export const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '')

export const isAccepted = ({ status }: Answer): boolean => status !== null && status >= 200 && status < 300

/** Whether an address names an IP address that nothing is sent to; a name is judged when it is connected to. */
export function namesPrivateAddress(address: string, hosts: Limits['hosts']): boolean {
  const host = hostOf(address)
  return isIP(host) !== 0 && !hosts.has(host) && !isPublic(host)
}

/**
 * Sends a message, signed as Standard Webhooks describe, over a connection of its own. Redirects are not followed.
 * Never rejects: what went wrong is the text of the answer.
 */
export function sendMessage({ url, secret }: Receiver, message: Message, limits: Limits): Promise<Answer> {
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(message.body),
    'user-agent': 'dealer-cabinet',
    'webhook-id': message.message_id,
    'webhook-timestamp': Math.floor(at.getTime() / 1000),
    'webhook-signature': new Webhook(secret).sign(message.message_id, at, message.body),
  }
  return post(url, headers, message.body, limits).then(readAnswer).catch(describeFailure)
}

async function post(address: string, headers: Record<string, string | number>, body: string, { timeout, hosts }: Limits) {
  if (namesPrivateAddress(address, hosts)) throw new PrivateAddress('private-address')
  const { request } = address.startsWith('https:') ? https : nodeHttp
  const signal = AbortSignal.timeout(timeout)
  const options: RequestOptions = { method: 'POST', headers, agent: false, signal }
  const lookup = hosts.has(hostOf(address)) ? undefined : lookupPublic
  const sent = request(address, { ...options, lookup })
  // Whatever fails after the answer has begun.
  sent.on('error', () => {})
  sent.end(body)
  const [answer] = (await once(sent, 'response', { signal })) as [IncomingMessage]
  return answer
}

/** As much of an answer as is kept; the status counts, however long the rest takes. */
async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  let text = ''
  try {
    answer.setEncoding('utf8')
    for await (const part of answer) {
      text += part
      if (text.length >= answerLength) break
    }
  } catch {
    // The time is over, or the connection is.
  }
  answer.destroy()
  return { status: answer.statusCode ?? null, text: shortened(text) }
}

function describeFailure(error: Error & { code?: string }): Answer {
  if (error instanceof PrivateAddress) return { status: null, text: error.message }
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return { status: null, text: 'timeout' }
  return { status: null, text: shortened(error.code ?? error.message) }
}

const shortened = (text: string) => firstCharacters(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), answerLength)
