// `npm run mutate`: puts one small fault at a time into a temporary copy and reports those that no test notices.
// Arguments choose: a part of an area, a title or the name of a test; after a minus sign, what to leave out.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireChromium } from '../../src/commands/chromium.mjs'
import { prepare } from '../../src/commands/install.mjs'
import { root, run } from '../../src/commands/run.mjs'
import { copyCheckout } from './copy-checkout.mjs'

await prepare()
if (isHunt()) {
  const options = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', 'test/mutations/generated/main.ts']
  run('Looking for faults that no test notices …', process.execPath, [...options, ...process.argv.slice(2)], {
    CHROMIUM: requireChromium(),
  })
  process.exit()
}
const { runFile } = await import('../runner/run-file.mjs')
const mutations = JSON.parse(readFileSync(join(root, 'test/mutations/mutations.json'), 'utf8'))
const chosen = process.argv.slice(2).reduce((left, word) => left.filter((mutation) => isMeant(mutation, word)), mutations)
const copy = copyCheckout(root)
const environment = { TAP_TIMEOUT: '600', TAP_BAIL: '1', CHROMIUM: requireChromium() }

try {
  process.exitCode = (await judgeAll()) ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function isHunt() {
  return process.argv.slice(2).some((word) => /^(src|templates)\b|^--/.test(word))
}

function isMeant({ area, title, tests }, word) {
  const text = `${area}: ${title} ${tests.join(' ')}`
  return word.startsWith('-') ? !text.includes(word.slice(1)) : text.includes(word)
}

async function judgeAll() {
  const red = await failingWithoutFault(new Set(chosen.flatMap(({ tests }) => tests)))
  const survivors = []
  for (const mutation of chosen) {
    const outcome = await judge(mutation, red)
    console.log(`${outcome === 'caught' ? '✓' : '✗'} ${mutation.area}: ${mutation.title}: ${outcome}`)
    if (outcome !== 'caught') survivors.push(mutation)
  }
  for (const { area, title, file, tests } of survivors)
    console.log(`\n✗ ${area}: ${title}\n    in ${file}, expected of ${tests.join(', ')}`)
  console.log(`\n${chosen.length - survivors.length} caught, ${survivors.length} survived or not judged`)
  return survivors.length === 0
}

/** A test that fails anyway proves nothing. */
async function failingWithoutFault(tests) {
  const red = new Set()
  for (const test of tests) if ((await runFile(copy, test, environment)).failures.length > 0) red.add(test)
  return red
}

async function judge({ file, search, replace, tests }, red) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(search).length !== 2) return `cannot be applied: ${source.includes(search) ? 'found twice' : 'not found'} in ${file}`
  const usable = tests.filter((test) => !red.has(test))
  if (usable.length === 0) return `not judged: ${tests.join(', ')} fails without the fault`
  writeFileSync(
    path,
    source.replace(search, () => replace),
  )
  try {
    for (const test of usable) if ((await runFile(copy, test, environment)).failures.length > 0) return 'caught'
    return 'survived'
  } finally {
    writeFileSync(path, source)
  }
}
