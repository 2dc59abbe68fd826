const folder = (name) => `^src/${name}(/|\\.ts$)`

/** What each part of src may import besides itself; see docs and the design: main → app → modules → web → core. */
const allowed = {
  core: [],
  database: ['core', 'root'],
  i18n: ['root'],
  web: ['core', 'database', 'i18n', 'config', 'version', 'root'],
  backup: ['core', 'database', 'web'],
  modules: ['core', 'database', 'i18n', 'web', 'config'],
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(allowed).map(([part, others]) => ({
      name: `${part}-imports-downwards`,
      severity: 'error',
      from: { path: folder(part) },
      to: { path: '^src/', pathNot: [part, ...others].map(folder) },
    })),
    // Tables that refer to each other do so in functions that Drizzle calls later.
    { name: 'no-cycles', severity: 'error', from: { pathNot: '^src/database/schema/' }, to: { circular: true } },
    {
      name: 'no-cycles-between-modules',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/modules/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/' },
      // dist is built by the command that imports it: a clean checkout has none.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'], pathNot: '^(\\.\\./)*dist/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: '^dist/',
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
