import nunjucks from 'nunjucks'

type Compile = (source: string, asyncFilters: unknown, extensions: unknown, path: string, options: unknown) => string

// Every application compiles its own templates, and one process tests dozens of applications.
const { compiler } = nunjucks as unknown as { compiler: { compile: Compile } }
const { compile } = compiler
const compiled = new Map<string, string>()

compiler.compile = (source, asyncFilters, extensions, path, options) => {
  const key = `${JSON.stringify(options)}\n${path}\n${source}`
  const code = compiled.get(key) ?? compile(source, asyncFilters, extensions, path, options)
  compiled.set(key, code)
  return code
}
