// `npm run check`: style, types and the direction of imports.
import { prepare } from './install.mjs'
import { run } from './run.mjs'

await prepare()
run('Checking style …', process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'check', '.'])
run('Checking templates …', process.execPath, [
  'node_modules/prettier/bin/prettier.cjs',
  '--log-level=warn',
  '--check',
  'templates/**/*.njk',
])
run('Checking rules for templates …', process.execPath, ['src/commands/check-templates.mjs'])
run('Checking types …', process.execPath, ['node_modules/typescript7/bin/tsc'])
run('Checking imports …', process.execPath, [
  'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  '--config',
  '.dependency-cruiser.mjs',
  'src',
])
