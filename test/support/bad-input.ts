import type t from 'tap'
import type { Answer, Browser } from './cabinet.ts'

type Test = Pick<typeof t, 'equal' | 'ok' | 'test'>

/** Checks that a form's address answers every malformed body with 4xx and changes nothing. */
export function testBadBodies(
  test: Test,
  options: { browser: () => Promise<Browser>; path: string; required: string; limit?: number; unchanged: () => unknown },
) {
  const { path, required, limit = 2 * 1024 * 1024 } = options
  const answers = (type: string, payload: string) =>
    options.browser().then((one) => one.send('POST', path, { 'content-type': type }, payload))
  const form = 'application/x-www-form-urlencoded'
  const cases: [string, () => Promise<Answer>, number[]][] = [
    ['JSON', () => answers('application/json', `{"${required}":"x"}`), [415]],
    ['plain text', () => answers('text/plain', `${required}=x`), [415]],
    ['XML', () => answers('application/xml', '<a/>'), [415]],
    ['broken multipart', () => answers('multipart/form-data; boundary=x', 'nonsense'), [400, 422]],
    ['multipart without a boundary', () => answers('multipart/form-data', 'nonsense'), [400, 415, 422]],
    ['a body over the limit', () => answers(form, `${required}=${'x'.repeat(limit)}`), [413]],
    ['more than 6,000 fields', () => answers(form, `${'x=1&'.repeat(6000)}${required}=x`), [413]],
    ['a field sent twice', () => answers(form, `${required}=one&${required}=two`), [422]],
    ['control characters', () => answers(form, `${required}=a%00b`), [422]],
    ['a line break in a line', () => answers(form, `${required}=a%0Ab`), [422]],
    ['a value too long', () => answers(form, `${required}=${'x'.repeat(256)}`), [422]],
    ['nothing but blanks', () => answers(form, `${required}=+++`), [422]],
  ]
  for (const [name, send, expected] of cases)
    test.test(`${name} is ${expected.join(' or ')}, and nothing is saved`, async (t) => {
      const before = JSON.stringify(options.unchanged())
      const { statusCode } = await send()
      t.ok(expected.includes(statusCode), `${statusCode}`)
      t.equal(JSON.stringify(options.unchanged()), before)
    })
}

/** Each must fall back to a default instead of failing. */
export const invalidQueries = [
  'sort=nothing',
  'sort=__proto__',
  'sort=password',
  'sort=company%3Bdrop',
  'dir=sideways',
  'sort=company&dir=ASC',
  'size=1000000',
  'size=-1',
  'size=ALL',
  'page=0',
  'page=-5',
  'page=abc',
  'page=1.5',
  'page=1e300',
  'page=99999999999999999999',
  'page=%F0%9F%98%80',
  'cols=__proto__,password,id',
  'q=%25',
  'q=_',
  'q=%22%27%60',
  'q=%00',
  'q=abc%00def',
  'q=%5C',
  'q=*',
  'q=-a',
  'q=NEAR(a+b)',
  'q=a+AND+b',
  'q=a+OR',
  'q=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80',
  `q=${'x'.repeat(3000)}`,
  `q=${'x+'.repeat(500)}`,
  'q=a&q=b',
  'q[]=a',
  'q=%zz',
  'q=%FF%FE',
  '&&&===',
]
