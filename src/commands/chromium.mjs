import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const macPlaces = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/** The path of the Chromium that browser tests drive; fetches one where there is none, and ends the process where it cannot. */
export function requireChromium() {
  const found = findChromium() ?? installChromium()
  if (found) return found
  console.error('No Chromium: set CHROMIUM to its path, or install one. Browser tests are not skipped.')
  process.exit(1)
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const onPath = names.map((name) =>
    spawnSync('sh', ['-c', `command -v ${name}`])
      .stdout?.toString()
      .trim(),
  )
  return [process.env.CHROMIUM, ...onPath, ...macPlaces, downloaded()].find((path) => path && existsSync(path))
}

function downloaded() {
  const script = "import { chromium } from 'playwright-core'; console.log(chromium.executablePath())"
  return spawnSync(process.execPath, ['--input-type=module', '-e', script]).stdout?.toString().trim()
}

function installChromium() {
  console.log('Fetching a Chromium for the browser tests …')
  const attempts = [
    [process.execPath, ['node_modules/playwright-core/cli.js', 'install', 'chromium']],
    ['sh', ['-c', '[ "$(id -u)" = 0 ] && apt-get update && apt-get install -y --no-install-recommends chromium']],
  ]
  for (const [command, args] of attempts) {
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 })
    const found = findChromium()
    if (found) return found
  }
}
