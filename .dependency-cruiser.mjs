const folder = (name) => `^src/${name}(/|\\.ts$)`

/** What each part of src may import besides itself; see docs: main → app → modules → records → view → http → database → core. */
const allowed = {
  core: [],
  concurrency: ['root'],
  database: ['core', 'root'],
  i18n: ['root'],
  documents: ['concurrency', 'i18n', 'root'],
  http: ['core', 'concurrency', 'database', 'i18n', 'config', 'version'],
  view: ['core', 'database', 'i18n', 'http', 'version', 'root'],
  records: ['core', 'concurrency', 'database', 'i18n', 'http', 'view', 'root'],
  backup: ['core', 'database', 'http'],
  modules: ['core', 'concurrency', 'database', 'i18n', 'http', 'view', 'records', 'documents', 'config'],
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
    {
      name: 'tables-come-with-the-database',
      severity: 'error',
      // A thread that opens the file itself needs nothing else.
      from: { path: '^src/', pathNot: '^src/database/|^src/records/spreadsheet/describe-rows' },
      to: { path: '^src/database/schema/index' },
    },
    // Tables that refer to each other do so in functions that Drizzle calls later.
    { name: 'no-cycles', severity: 'error', from: { pathNot: '^src/database/schema/' }, to: { circular: true } },
    {
      name: 'no-cycles-between-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/(modules|records|http)/[^/]+$' },
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
