// What compiled templates call while they draw.
import nunjucks from 'nunjucks'

const { lib, runtime } = nunjucks as unknown as Internals
const special = /[&"'<>`\\]/

/** What stands on the page for a value: nothing for none, markup as it is, everything else escaped. */
export function shown(value: unknown): string | number {
  if (typeof value === 'number') return value
  if (value === undefined || value === null) return ''
  const text = String(value)
  return value instanceof runtime.SafeString || !special.test(text) ? text : lib.escape(text)
}

/** A template drawn with all that is known at one place: what the other was called with, and what it has named there. */
export function included(env: nunjucks.Environment, context: Context, frame: Frame, name: string): string {
  const template = env.getTemplate(name, true) as unknown as Drawing
  const inner = new context.constructor({}, template.blocks, env)
  inner.ctx = Object.assign({}, context.ctx, ...namedIn(frame))
  const place = Object.assign(new runtime.Frame(), { topLevel: true })
  let drawn = ''
  template.rootRenderFunc(env, inner, place, runtime, (error, text) => {
    if (error) throw lib._prettifyError(name, false, error)
    drawn = text
  })
  return drawn
}

function namedIn(frame: Frame): object[] {
  const names: object[] = []
  for (let at: Frame | undefined = frame; at; at = at.parent) names.unshift(at.variables)
  return names
}

/** What nunjucks draws with, as its compiled templates get it. */
interface Context {
  ctx: object
  constructor: new (variables: object, blocks: object, env: nunjucks.Environment) => Context
}

interface Frame {
  variables: object
  parent?: Frame
}

interface Drawing {
  blocks: object
  rootRenderFunc(env: object, context: Context, frame: object, runtime: object, done: (error: Error | null, text: string) => void): void
}

interface Internals {
  lib: { escape(text: string): string; _prettifyError(template: string, full: boolean, error: Error): Error }
  runtime: { Frame: new () => object; SafeString: typeof nunjucks.runtime.SafeString }
}
