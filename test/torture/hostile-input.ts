import type { Random } from '../support/random.ts'

/** Texts that no form of ours asks for: as bytes of an urlencoded body, so that broken encodings are among them. */
const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  '0x10',
  '1.5',
  '9007199254740993',
  '99999999999999999999999',
  '-0',
  'NaN',
  'true',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '%00',
  'a%00b',
  '%FF%FE',
  '%C3%28',
  '%ED%A0%80',
  '%F0%9F%98%80',
  'e%CC%81%CC%81%CC%81',
  '%E2%80%AE%D7%A9',
  '%EF%BB%BF',
  '%zz',
  '%',
  '%0D%0ASet-Cookie:+a=b',
  '%1B[31m',
  '..%2F..%2Fetc%2Fpasswd',
  '%27%3B+drop+table+users%3B+--',
  '%27+or+1%3D1',
  '%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '%7B%7B+7*7+%7D%7D',
  '%7B%25+include+%22x%22+%25%7D',
  '$%7B7*7%7D',
  '%25s%25n%d',
  '2026-13-45',
  '0000-00-00T99:99',
  '275760-09-13',
  '-271821-04-20',
  'javascript:alert(1)',
  '//evil.example',
  '{"a":1}',
  '[]',
  '#ffffff',
  'AND+OR+NOT+NEAR(',
  '%2A',
]

export function hostileText(random: Random): string {
  if (random.chance(0.1)) return 'x'.repeat(random.pick([255, 256, 1000, 65_536, 300_000]))
  if (random.chance(0.1)) return '%D1%88%F0%9F%91%A9'.repeat(random.pick([50, 255, 3000]))
  return random.pick(texts)
}

/** A name as somebody who looks for holes would bend it. */
export function hostileName(random: Random, name: string): string {
  return random.pick([
    `${name}[]`,
    `${name}[0]`,
    `${name}[a][b][c]`,
    `${name}[__proto__]`,
    `${name}[constructor][prototype][x]`,
    `${name}[99999999999]`,
    `${name}[-1][id]`,
    `${name}[0][id]`,
    `${name}[stored]`,
    `${name}[crop]`,
    `${name}.0`,
    `${name}[`,
    `${name}]`,
    '__proto__',
    '__proto__[admin]',
    'constructor',
    'hasOwnProperty',
    `${name}%00`,
    '',
  ])
}

/** What belongs to no field and is read all the same. */
const commonNames = [
  'id',
  'value',
  'version',
  'once',
  'all',
  'seen',
  'back',
  'next',
  '_add',
  '_remove',
  '_up',
  'move_to',
  'transition_id',
  'note',
]

/** An urlencoded body or query: the fields a form has, some of them bent. */
export function hostileFields(random: Random, fields: [name: string, value: string][]): string {
  const pairs = fields
    .filter(() => !random.chance(0.15))
    .flatMap(([name, value]) => {
      const pair = [encodeURIComponent(name), random.chance(0.25) ? hostileText(random) : encodeURIComponent(value)]
      if (random.chance(0.03)) pair[0] = hostileName(random, name)
      return random.chance(0.04) ? [pair, pair] : [pair]
    })
  const more = random.integer(0, 2)
  for (let count = 0; count < more; count++) pairs.push([random.pick(commonNames), hostileText(random)])
  if (random.chance(0.01)) for (let count = 0; count < 2500; count++) pairs.push(['x', '1'])
  return pairs.map((pair) => pair.join('=')).join('&')
}

/** A part of an address: an id that is none. */
export function hostilePathSegment(random: Random): string {
  return random.pick([
    '0',
    '-1',
    '1.5',
    '99999999',
    '999999999999999',
    '9999999999999999999999',
    '1e3',
    '%201',
    'word',
    '__proto__',
    'constructor',
    '%00',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    '%F0%9F%98%80',
    '%FF',
    '%zz',
    `${'a'.repeat(64)}`,
    'x'.repeat(3000),
    '',
  ])
}

const headerValues: Record<string, readonly string[]> = {
  accept: ['', '*/*;q=x', 'application/json', 'text/html;level=,', 'x'.repeat(5000)],
  'accept-encoding': ['', 'br;q=x, *;q=0', 'gzip;q=0, identity;q=0', 'deflate', 'zstd', 'gzip,gzip,gzip', 'br'],
  'accept-language': ['', '*', 'ru;q=9', 'xx-XX-XX,,,;q', 'x'.repeat(5000)],
  range: ['bytes=0-', 'bytes=5-2', 'bytes=-1', 'bytes=99999999999-', 'bytes=0-0,1-1,2-2', 'lines=1-2', 'bytes=a-b'],
  'if-none-match': ['*', '"x"', 'W/"', 'x'.repeat(3000)],
  'if-modified-since': ['yesterday', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  'if-match': ['*', '"nothing"'],
  'if-range': ['"x"', 'never'],
  'hx-request': ['true', 'TRUE', 'false', '1'],
  'hx-request-type': ['full', 'partial', 'x'],
  'hx-target': ['', '#x', 'tag#__proto__'],
  'hx-source': ['button#x'],
  referer: ['http://localhost:80/', 'http://evil.example/', 'nonsense', 'http://localhost:80/dealers?q=%zz'],
  'x-forwarded-for': ['1.2.3.4', '::1, nonsense', '<script>'],
  'x-forwarded-host': ['evil.example', '%%%'],
  'x-forwarded-proto': ['https', 'gopher'],
  'user-agent': ['', 'x'.repeat(5000), '<script>'],
  authorization: ['Basic !!!', 'Bearer x'],
  'content-encoding': ['gzip', 'identity'],
  expect: ['something'],
  'sec-fetch-site': ['same-origin', 'none'],
}

export function hostileHeaders(random: Random): Record<string, string> {
  const count = random.integer(0, 4)
  const chosen = Array.from({ length: count }, () => random.pick(Object.keys(headerValues)))
  return Object.fromEntries(chosen.map((name) => [name, random.pick(headerValues[name] as string[])]))
}

/** The media type and body of something that calls itself a form with files. */
export function hostileMultipart(random: Random, fields: [name: string, value: string][]): { type: string; body: Buffer } {
  const boundary = 'sep'
  const parts = fields.filter(() => !random.chance(0.2)).map(([name, value]) => part(random, name, value))
  if (random.chance(0.05)) for (let count = 0; count < 10_000; count++) parts.push(part(random, `p${count}`, 'x'))
  const end = random.chance(0.8) ? `--${boundary}--\r\n` : random.pick(['', `--${boundary}`, '--other--\r\n'])
  const whole = Buffer.from(parts.map((text) => `--${boundary}\r\n${text}\r\n`).join('') + end, 'latin1')
  const body = random.chance(0.15) ? whole.subarray(0, random.integer(0, whole.length)) : whole
  const type = random.chance(0.85)
    ? `multipart/form-data; boundary=${boundary}`
    : random.pick([
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/form-data; boundary=other',
        'multipart/mixed; boundary=sep',
      ])
  return { type, body }
}

function part(random: Random, name: string, value: string): string {
  const text = random.chance(0.3) ? hostileText(random) : value
  const called = random.chance(0.05) ? hostileName(random, name) : name
  const head = random.pick([
    `Content-Disposition: form-data; name="${called}"`,
    `Content-Disposition: form-data; name="${called}"`,
    `Content-Disposition: form-data; name="${called}"`,
    `Content-Disposition: form-data; name="${called}"\r\nContent-Type: application/json`,
    `Content-Disposition: form-data; name="${called}"; filename=""`,
    `Content-Disposition: form-data; name="${called}"; filename="a.txt"`,
    `Content-Disposition: form-data; name="${called}[file]"; filename="..\\..\\%00.png"\r\nContent-Type: image/png`,
    `Content-Disposition: form-data; name="${called}"; filename*=UTF-8''%zz%00`,
    'Content-Disposition: form-data',
    'Content-Disposition: attachment; filename="x"',
    'X-Nothing: here',
    '',
  ])
  return `${head}\r\n\r\n${text}`
}
