import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

type Test = { teardown: (end: () => unknown) => void }

export interface Mail {
  to: string
  subject: string
  messageId: string
  text: string
  files: { name: string; content: Buffer }[]
}

/** The reply to each command, `drop` to hang up, or `silence`; `after data` is sent after the whole message. */
export type SmtpReplies = Partial<Record<'greeting' | 'MAIL' | 'RCPT' | 'DATA' | 'after data', string>>

export async function startMailServer(test: Test) {
  const letters: Mail[] = []
  const sockets = new Set<Socket>()
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  const mailServer = { letters, url: '', replies: {} as SmtpReplies, hangUp }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    serve(socket, mailServer)
  })
  mailServer.url = `smtp://127.0.0.1:${await listen(server)}`
  test.teardown(() => {
    hangUp()
    server.close()
  })
  return mailServer
}

function serve(socket: Socket, mailServer: { letters: Mail[]; replies: SmtpReplies }): void {
  const answer = (usual: string, mood = usual) => {
    if (mood === 'drop') socket.destroy()
    else if (mood !== 'silence') socket.write(`${mood}\r\n`)
  }
  let received = ''
  let to = ''
  let writing = false
  answer('220 post.example ESMTP', mailServer.replies.greeting)
  socket.on('data', (chunk) => {
    received += chunk
    for (let end = received.indexOf(writing ? '\r\n.\r\n' : '\r\n'); end >= 0; end = received.indexOf(writing ? '\r\n.\r\n' : '\r\n')) {
      const line = received.slice(0, end)
      received = received.slice(end + (writing ? 5 : 2))
      if (writing) {
        writing = false
        const mood = mailServer.replies['after data']
        // The message counts as received even if the reply is lost.
        if (!/^\d/.test(mood ?? '')) mailServer.letters.push(parseMail(to, line))
        answer('250 Accepted', mood)
      } else handleCommand(line)
    }
  })

  function handleCommand(line: string): void {
    const command = line.slice(0, 4).toUpperCase()
    if (command === 'EHLO') answer('250-post.example\r\n250 8BITMIME')
    else if (command === 'STAR') socket.write('502 No encryption here\r\n')
    else if (command === 'QUIT') socket.end('221 Bye\r\n')
    else if (command === 'RCPT') {
      to = /<(.*)>/.exec(line)?.[1] ?? ''
      answer('250 Fine', mailServer.replies.RCPT)
    } else if (command === 'DATA') {
      writing = !mailServer.replies.DATA
      answer('354 Go on', mailServer.replies.DATA)
    } else answer('250 Fine', command === 'MAIL' ? mailServer.replies.MAIL : undefined)
  }
}

function parseMail(to: string, raw: string): Mail {
  const { header, body } = parsePart(raw)
  const boundary = /boundary="?([^";]+)"?/i.exec(header('Content-Type'))?.[1]
  const parts = boundary ? body.split(`--${boundary}`).slice(1, -1).map(parsePart) : []
  const [letter = { header, body }, ...attached] = parts
  const files = attached.map((part) => ({
    name: fileNameOf(part.header('Content-Disposition')),
    content: Buffer.from(part.body, 'base64'),
  }))
  const text = decode(letter.body, letter.header('Content-Transfer-Encoding').toLowerCase())
  return { to, subject: decodeWords(header('Subject')), messageId: header('Message-ID'), text, files }
}

function parsePart(raw: string) {
  const start = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, start).replace(/\r\n\s+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  return { header, body: raw.slice(start + 4) }
}

/** As it is, or in numbered pieces that are encoded (RFC 2231). */
function fileNameOf(disposition: string): string {
  const pieces = [...disposition.matchAll(/filename\*\d+\*?=([^;]+)/g)].map(([, piece = '']) => piece.trim().replace(/^"|"$/g, ''))
  const whole = pieces.length > 0 ? pieces.join('').replace(/^utf-8''/i, '') : (/filename="?([^";]+)"?/.exec(disposition)?.[1] ?? '')
  return pieces.length > 0 ? decodeURIComponent(whole) : decodeWords(whole)
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  return decodeQuotedPrintable(body.replace(/=\r\n/g, '')).replaceAll('\r\n', '\n')
}

const decodeQuotedPrintable = (text: string) =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind, inside) =>
      kind.toLowerCase() === 'b' ? Buffer.from(inside, 'base64').toString() : decodeQuotedPrintable(inside.replaceAll('_', ' ')),
    )
}

export interface TelegramMessage {
  path: string
  chat_id: string
  text: string
}

/** A fake Telegram bot API on loopback; replies put into `answers` come before the default one. */
export async function startTelegram(test: Test) {
  const messages: TelegramMessage[] = []
  const telegram = { messages, url: '', answers: [] as { status: number; body: object }[] }
  const server = createHttpServer(async (request, response) => {
    const chunks = await request.toArray()
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const { status, body: answer } = telegram.answers.shift() ?? { status: 200, body: { ok: true, result: { message_id: 1 } } }
    if (status === 200) messages.push({ path: request.url ?? '', ...body })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  telegram.url = `http://127.0.0.1:${await listen(server)}`
  test.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return telegram
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}
