import { relative } from 'node:path'

const isTerminal = process.stdout.isTTY && !process.env.CI

/** Says what the runner does: one changing line on a terminal, one line a file elsewhere. */
export function reportProgress({ done, total, running }, finished) {
  if (finished) {
    const { file, passed, failures, seconds, notes } = finished
    const outcome = failures.length ? `${failures.length} FAILED, ${passed} passed` : `${passed} passed`
    clearLine()
    console.log(
      `${failures.length ? '✗' : '✓'} ${String(done).padStart(String(total).length)}/${total} ${file}: ${outcome} in ${time(seconds)}`,
    )
    if (notes) console.log(indent(notes.trim(), 4))
  }
  if (isTerminal && running.length) process.stdout.write(`  running ${running.join(', ')} …`.slice(0, process.stdout.columns - 1))
}

function clearLine() {
  if (isTerminal) process.stdout.write('\r\x1b[2K')
}

/** The slowest files, then each failure in words, then the totals. `repeated` failed at first and passed when they ran again. */
export function reportResults(results, seconds, repeated = []) {
  clearLine()
  const slowest = [...results].sort((a, b) => b.seconds - a.seconds).slice(0, 8)
  if (results.length > 1) console.log(`\nSlowest: ${slowest.map(({ file, seconds }) => `${file} ${time(seconds)}`).join(', ')}`)
  const failed = results.filter(({ failures }) => failures.length > 0)
  for (const { file, failures } of repeated) reportFile(`${file}: passed only when run again`, failures)
  for (const { file, failures } of failed) reportFile(file, failures)
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const count = failed.reduce((sum, result) => sum + result.failures.length, 0)
  if (count) console.log(`\nFailed files: ${failed.map(({ file }) => file).join(' ')}`)
  console.log(`\n${passed} passed, ${count} failed in ${results.length} ${results.length === 1 ? 'file' : 'files'}, ${time(seconds)}`)
  return count === 0
}

function reportFile(title, failures) {
  console.log(`\n${title}`)
  for (const failure of failures) console.log(describeFailure(failure))
}

/** What the assertion says, where it stands, what was found, and what the application answered last. */
function describeFailure({ title, details: { at, compare, diff, found, wanted, pattern, stack, stderr, answers, source, ...more } }) {
  const place = at?.fileName && `at ${relative(process.cwd(), at.fileName.replace('file://', ''))}:${at.lineNumber}`
  const facts = diff
    ? [firstLines(diff)]
    : [
        found !== undefined && `found:  ${shorten(found)}`,
        (wanted ?? pattern) !== undefined && `wanted: ${shorten(wanted ?? pattern)}`,
        more.doNotWant !== undefined && `not wanted: ${shorten(more.doNotWant)}`,
        more.message && found === undefined && String(more.message),
        !at && stack,
        stderr,
      ]
  const said = answers && [`last answers:`, ...answers.map((answer) => `  ${answer}`)].join('\n')
  const heading = title.replace(/(?:expect |should )[\w ]+$/, (text) => assertionIn(source, at) ?? text)
  return [`  ✗ ${heading}`, ...[place, ...facts, said].filter(Boolean).map((text) => indent(String(text).trimEnd(), 6))].join('\n')
}

/** The assertion itself where it has no title of its own: tap marks its place in the source with an arrow below it. */
function assertionIn(source, at) {
  const lines = source?.split('\n') ?? []
  const arrow = lines.findIndex((line) => /^-+\^$/.test(line))
  return lines[arrow - 1]
    ?.slice(at.columnNumber - 3)
    .trim()
    .slice(0, 200)
}

function shorten(value) {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text
}

/** A diff may hold a whole page: what was expected, and the beginning of what was found. */
function firstLines(diff) {
  const [, ...values] = /\n@@ .* @@\n-(.*)\n\+(.*)\n$/.exec(diff) ?? []
  if (values.length > 0) return values.map((text, index) => `${index ? 'found: ' : 'wanted:'} ${text.slice(0, 600)}`).join('\n')
  const lines = diff.split('\n').map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line))
  if (lines.length <= 40) return lines.join('\n')
  const expected = lines.filter((line) => line.startsWith('-')).slice(0, 12)
  const found = lines.filter((line) => line.startsWith('+')).slice(0, 6)
  return [...expected, ...found, `… (${lines.length} lines)`].join('\n')
}

function indent(text, by) {
  return text.replace(/^/gm, ' '.repeat(by))
}

function time(seconds) {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
