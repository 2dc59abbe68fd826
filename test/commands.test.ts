import { readFileSync } from 'node:fs'
import { satisfies, subset } from 'semver'
import t from 'tap'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
const { engines } = read('package.json') as { engines: { node: string } }

t.test('every installed package supports every Node version that the service supports', async (t) => {
  const packages: Record<string, { engines?: { node?: string } }> = read('node_modules/.package-lock.json').packages
  t.ok(Object.keys(packages).length > 100, 'the packages were found')
  const narrower = Object.entries(packages).filter(([, { engines: theirs }]) => theirs?.node && !subset(engines.node, theirs.node))
  t.same(
    narrower.map(([path, { engines: theirs }]) => `${path}: ${theirs?.node}`),
    [],
  )
})

t.test('commands switch to a newer Node exactly when the current one is not supported', async (t) => {
  const { isSupportedNode } = await import(new URL('../src/commands/supported-node.mjs', import.meta.url).href)
  for (const version of ['18.20.0', '20.20.2', '21.7.3', '22.11.0', '22.12.0', '22.23.3', '23.11.1', '24.0.0', '24.21.0', '26.0.0'])
    t.equal(isSupportedNode(version), satisfies(version, engines.node), version)
})
