// `node src/commands/subset-fonts.mjs` writes static/fonts and src/documents/fonts anew, after a new version of Inter or other letters in static/css/fonts.scss.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const folder = mkdtempSync(join(tmpdir(), 'subset-fonts-'))
// Nothing else needs them, so they are no packages of the cabinet.
const packages = ['subset-font@2.9.0', '@expo-google-fonts/inter@0.4.2', 'fontkit@2.0.4']
run('Fetching subset-font …', 'npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages])
const fetched = createRequire(join(folder, 'package.json'))
const subsetFont = fetched('subset-font')
const styles = readFileSync(`${root}/static/css/fonts.scss`, 'utf8')
for (const [, script, range] of styles.matchAll(/'inter-(\w+)\.woff2', \((.*)\)\)/g)) {
  const whole = readFileSync(`${root}/node_modules/@fontsource-variable/inter/files/inter-${script}-wght-normal.woff2`)
  const options = {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700 } },
    keepFeatures: ['ccmp', 'kern', 'locl', 'mark', 'tnum'],
  }
  writeFileSync(`${root}/static/fonts/inter-${script}.woff2`, await subsetFont(whole, lettersOf(range), options))
}
for (const [name, weight] of [
  ['inter-regular', '400Regular'],
  ['inter-semibold', '600SemiBold'],
]) {
  const whole = readFileSync(join(folder, `node_modules/@expo-google-fonts/inter/${weight}/Inter_${weight}.ttf`))
  const letters = String.fromCodePoint(...fetched('fontkit').create(whole).characterSet)
  const options = { targetFormat: 'sfnt', keepFeatures: ['ccmp', 'kern', 'mark'] }
  writeFileSync(`${root}/src/documents/fonts/${name}.ttf`, await subsetFont(whole, letters, options))
}
rmSync(folder, { recursive: true })

function lettersOf(range) {
  return range
    .split(', ')
    .flatMap(codesOf)
    .map((code) => String.fromCodePoint(code))
    .join('')
}

function codesOf(part) {
  const [first, last = first] = part
    .slice(2)
    .split('-')
    .map((code) => Number.parseInt(code, 16))
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
