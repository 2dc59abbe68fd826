import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installPackage, onPath, runQuietly } from './system-packages.mjs'

const macPlaces = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/**
 * The path of the Chromium that browser tests drive, if possible the one without a window, which needs a third less processor
 * time; fetches one where there is none, and ends the process where it cannot.
 */
export function requireChromium() {
  const found = findShell() ?? findChromium() ?? installChromium()
  if (found) return found
  console.error('No Chromium: set CHROMIUM to its path, or install one. Browser tests are not skipped.')
  process.exit(1)
}

function findShell() {
  if (process.env.CHROMIUM) return
  if (!onPath('chromium-headless-shell')) installPackage('chromium-headless-shell')
  return onPath('chromium-headless-shell')
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return [process.env.CHROMIUM, ...names.map(onPath), ...macPlaces, downloaded()].find((path) => path && existsSync(path))
}

function downloaded() {
  const script = "import { chromium } from 'playwright-core'; console.log(chromium.executablePath())"
  return spawnSync(process.execPath, ['--input-type=module', '-e', script]).stdout?.toString().trim()
}

function installChromium() {
  console.log('Fetching a Chromium for the browser tests …')
  runQuietly(process.execPath, ['node_modules/playwright-core/cli.js', 'install', 'chromium'])
  if (!findChromium()) installPackage('chromium')
  return findChromium()
}
