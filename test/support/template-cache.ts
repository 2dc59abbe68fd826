import nunjucks, { type Environment } from 'nunjucks'

interface Template {
  env: Environment & { asyncFilters: unknown; extensionsList: unknown; opts: unknown }
  path: string
  tmplStr: string
  tmplProps?: unknown
  _compile(): void
}

// Every application compiles its own templates, and one process tests hundreds of applications.
const { compiler, Template } = nunjucks as unknown as {
  compiler: { compile: (source: string, asyncFilters: unknown, extensions: unknown, path: string, options: unknown) => string }
  Template: { prototype: Template }
}
const { _compile } = Template.prototype
const compiled = new Map<string, unknown>()

Template.prototype._compile = function () {
  this.tmplProps ??= compileOnce(this)
  _compile.call(this)
}

function compileOnce({ env, path, tmplStr }: Template): unknown {
  const key = `${JSON.stringify(env.opts)}\n${path}\n${tmplStr}`
  const found = compiled.get(key) ?? new Function(compiler.compile(tmplStr, env.asyncFilters, env.extensionsList, path, env.opts))()
  compiled.set(key, found)
  return found
}
