// Bundles the service, its commands and what they load by themselves into dist: loading some hundred small files takes most of the time
// that a service needs to start. Run by src/commands/install.mjs.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { root } from './run.mjs'

/** The service, its commands, and what threads and processes load: `moduleAt` in src/root.ts. */
const isEntry = /^(main|commands\/[\w-]+|.*\b(thread|process|sheet))\.ts$/

/** Of the packages, those that consist of many modules. */
const bundled = ['drizzle-orm', 'zod']

removeFormerBuild()
const files = readdirSync(`${root}/src`, { recursive: true }).map((file) => file.replaceAll('\\', '/'))
const { dependencies, devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
await build({
  entryPoints: files.filter((file) => isEntry.test(file)).map((file) => `${root}/src/${file}`),
  outbase: `${root}/src`,
  outdir: `${root}/dist`,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // What is loaded stays in memory: without comments and indents it is a third less, and names stay for whoever reads the log.
  minifyWhitespace: true,
  lineLimit: 160,
  external: Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !bundled.includes(name)),
  logLevel: 'warning',
})

/** All but what is compiled for browsers, whose files are named by what they hold. */
function removeFormerBuild() {
  const built = existsSync(`${root}/dist`) ? readdirSync(`${root}/dist`) : []
  for (const name of built) if (!['assets', 'compiled'].includes(name)) rmSync(`${root}/dist/${name}`, { recursive: true })
}
