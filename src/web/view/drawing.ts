// What compiled templates call while they draw.
import nunjucks from 'nunjucks'

const { lib, runtime } = nunjucks as unknown as Internals
const Context = contextClass()
const special = /[&"'<>`\\]/

/** What stands on the page for a value: nothing for none, markup as it is, everything else escaped. */
export function shown(value: unknown): string | number {
  if (typeof value === 'number') return value
  if (value === undefined || value === null) return ''
  const text = String(value)
  return value instanceof runtime.SafeString || !special.test(text) ? text : lib.escape(text)
}

/** Names a value where its name is known already, else here. */
export function assign(frame: Frame, name: string, value: unknown): void {
  const known = frame.resolve(name, true) ?? frame
  known.variables[name] = value
}

/** A template drawn with what it is called with; that is the template's own from then on. */
export function drawn(env: nunjucks.Environment, name: string, variables: object): string {
  const template = env.getTemplate(name, true) as unknown as Drawing
  const context = Object.assign(new Context({}, template.blocks, env), { ctx: variables })
  const place = Object.assign(new runtime.Frame(), { topLevel: true })
  let text = ''
  template.rootRenderFunc(env, context, place, runtime, (error, whole) => {
    if (error) throw lib._prettifyError(name, false, error)
    text = whole
  })
  return text
}

/** A template drawn with all that is known at one place: what the other was called with, and what it has named there. */
export function included(env: nunjucks.Environment, { ctx }: Context, frame: Frame, name: string): string {
  return drawn(env, name, Object.assign({ ...ctx }, ...namedIn(frame)))
}

function namedIn(frame: Frame): object[] {
  const names: object[] = []
  for (let at: Frame | undefined = frame; at; at = at.parent) names.unshift(at.variables)
  return names
}

/** What a template is called with and its blocks: nunjucks keeps the class to itself, but shows an object of it to its functions. */
function contextClass(): new (variables: object, blocks: object, env: nunjucks.Environment) => Context {
  const seen: object[] = []
  const look = function (this: object) {
    seen.push(this.constructor)
  }
  new nunjucks.Environment([]).addGlobal('look', look).renderString('{{ look() }}', {})
  return seen[0] as ReturnType<typeof contextClass>
}

interface Context {
  ctx: object
}

interface Frame {
  variables: Record<string, unknown>
  parent?: Frame
  resolve(name: string, toWrite: boolean): Frame | undefined
}

interface Drawing {
  blocks: object
  rootRenderFunc(env: object, context: Context, frame: object, runtime: object, done: (error: Error | null, text: string) => void): void
}

interface Internals {
  lib: { escape(text: string): string; _prettifyError(template: string, full: boolean, error: Error): Error }
  runtime: { Frame: new () => object; SafeString: typeof nunjucks.runtime.SafeString }
}
