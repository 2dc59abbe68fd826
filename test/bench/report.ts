import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Summary } from './load.ts'

export interface Result {
  size: number
  name: string
  bytes: number
  service: Summary
  /** A bare Fastify with a constant page of the same size. */
  constant?: Summary
  /** The same bytes written by hand. */
  handwritten?: Summary
  /** Thirty-two connections at once. */
  concurrent?: Summary
  note?: string
}

const heads = [
  'scenario',
  'rows',
  'median',
  'p99',
  'requests/s',
  '32: p99',
  '32: req/s',
  'bytes',
  'CPU',
  '÷ constant',
  '÷ by hand',
  '÷ at 1,000',
]

/** One table of everything that was measured. */
export function tableOf(results: Result[]): string {
  const rows = results.map((result) => tableRow(result, results))
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Puts table and chart into docs/benchmarks.md, and the ratios beside it. */
export function writeReport(results: Result[]): void {
  writeSection('measured', `![CPU time per request](bench.svg)\n\n${tableOf(results)}`)
  drawChart(results)
  writeFileSync(figuresFile, `${JSON.stringify(Object.fromEntries(results.flatMap(ratiosOf)), null, 2)}\n`)
}

/** Replaces what stands between `<!-- name -->` and `<!-- end of name -->` in docs/benchmarks.md. */
export function writeSection(name: string, content: string): void {
  const file = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(`<!-- ${name} -->\n`)
  const after = rest.split(`<!-- end of ${name} -->`)[1]
  if (after === undefined) throw new Error(`docs/benchmarks.md has no end of ${name}`)
  writeFileSync(file, `${before}<!-- ${name} -->\n${content}\n<!-- end of ${name} -->${after}`)
}

const figuresFile = fileURLToPath(new URL('../../docs/benchmarks.json', import.meta.url))

type Ratio = [name: string, ratio: number]

/** Ratios within one run: machines differ, and so do hours. */
function ratiosOf({ size, name, service, constant, handwritten }: Result): Ratio[] {
  const ratios: [string, Summary | undefined][] = [
    ['÷ constant', constant],
    ['÷ by hand', handwritten],
  ]
  return ratios.flatMap(([to, limit]): Ratio[] =>
    limit ? [[`${name} at ${size} ${to}`, Number((service.cpu / limit.cpu).toFixed(2))]] : [],
  )
}

/** What has become more than a tenth slower than the stored figures of the last release say. */
export function findSlower(results: Result[]): string[] {
  const stored = JSON.parse(readFileSync(figuresFile, 'utf8')) as Record<string, number>
  return results.flatMap(ratiosOf).flatMap(([name, ratio]) => {
    const before = stored[name]
    return before && ratio > 1.1 * before
      ? [`${name}: ${before.toFixed(1)} → ${ratio.toFixed(1)}, ${Math.round((ratio / before - 1) * 100)} % slower`]
      : []
  })
}

function tableRow(result: Result, results: Result[]): string[] {
  const { size, name, bytes, service, constant, handwritten, concurrent, note } = result
  const first = results.find((other) => other.name === name && other.size === 1000)
  const ratio = (to: Summary | undefined) => (to ? (service.cpu / to.cpu).toFixed(1) : '')
  const whole = (value: number | undefined) => (value ? Math.round(value).toLocaleString('en') : '')
  return [
    name,
    size.toLocaleString('en'),
    note ?? milliseconds(service.median),
    note ? '' : milliseconds(service.p99),
    note ? '' : whole(service.perSecond),
    concurrent ? milliseconds(concurrent.p99) : '',
    whole(concurrent?.perSecond),
    whole(bytes),
    Number.isNaN(service.cpu) ? '' : milliseconds(service.cpu),
    ratio(constant),
    ratio(handwritten),
    first && first !== result && !note ? ratio(first.service) : '',
  ]
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}

const [left, rowHeight, width] = [210, 44, 760]
const colors: Record<number, string> = { 1000: '#9ec5fe', 100000: '#3d8bfd', 1000000: '#0a58ca' }

/** A bar for every scenario and size: processor time a request, on a logarithmic scale. */
function drawChart(results: Result[]): void {
  const names = [...new Set(results.filter(({ service }) => !Number.isNaN(service.cpu)).map(({ name }) => name))]
  const x = (value: number) => left + ((Math.log10(Math.max(value, 0.1)) + 1) / 5) * (width - left - 70)
  const bars = names.flatMap((name, line) =>
    results
      .filter((result) => result.name === name)
      .map(({ size, service }, index) => {
        const y = 40 + line * rowHeight + index * 12
        return `<rect x="${left}" y="${y}" width="${(x(service.cpu) - left).toFixed(1)}" height="10" rx="2" fill="${colors[size]}"/><text x="${(x(service.cpu) + 5).toFixed(1)}" y="${y + 9}" font-size="10">${milliseconds(service.cpu)}</text>`
      }),
  )
  const labels = names.map((name, line) => `<text x="${left - 8}" y="${62 + line * rowHeight}" text-anchor="end">${name}</text>`)
  const legend = Object.entries(colors).map(
    ([size, colour], index) =>
      `<rect x="${left + index * 130}" y="12" width="12" height="12" fill="${colour}"/><text x="${left + 18 + index * 130}" y="22">${Number(size).toLocaleString('en')} rows</text>`,
  )
  const height = 50 + names.length * rowHeight
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#495057"><title>CPU time per request</title><rect width="${width}" height="${height}" fill="#fff"/>${[...legend, ...labels, ...bars].join('\n')}</svg>\n`
  writeFileSync(fileURLToPath(new URL('../../docs/bench.svg', import.meta.url)), svg)
}
