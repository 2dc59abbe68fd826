import compiler, { type Scope } from 'nunjucks/src/compiler.js'
import nodes, {
  type Assignment,
  type For,
  type FunCall,
  type Include,
  type LookupVal,
  type Name,
  type Node,
  type Output,
} from 'nunjucks/src/nodes.js'
import parser from 'nunjucks/src/parser.js'
import transformer from 'nunjucks/src/transformer.js'
import { assign, included, shown } from './drawing.ts'

/** A compiled template: functions that draw it and its blocks. */
type Compiled = Record<string, unknown>

/** Compiles a template into functions that V8 can make fast: what nunjucks looks up by name at each place becomes a plain property. */
export function compileTemplate(name: string, source: string): Compiled {
  const tree = transformer.transform(parser.parse(source), [])
  const plain = new PlainCompiler(name)
  plain.own = namesOf(tree)
  plain.compile(tree)
  return new Function('shown', 'included', 'assign', plain.getCode())(shown, included, assign)
}

/** The names that a template gives to something itself; all others are what it was called with. */
function namesOf(tree: Node): Set<string> {
  const given = [
    ...within(tree, nodes.For).map(({ name }) => name),
    ...within(tree, nodes.Set).flatMap(({ targets }) => targets),
    ...within(tree, nodes.Macro).flatMap(({ name, args }) => [name, args]),
    ...within(tree, nodes.Import).map(({ target }) => target),
    ...within(tree, nodes.FromImport).map(({ names }) => names),
  ]
  const names = given.flatMap((node) => [node, ...within(node, nodes.Symbol)]).filter((node) => node instanceof nodes.Symbol)
  return new Set(['loop', 'caller', ...names.map(({ value }) => value)])
}

/** Every node of a kind below another; nunjucks' own `findAll` does not look everywhere. */
function within<Kind extends Node>(node: Node, kind: new () => Kind): Kind[] {
  const children = Object.values(node)
    .flat()
    .filter((child) => child instanceof nodes.Node)
  return children.flatMap((child) => [...(child instanceof kind ? [child] : []), ...within(child, kind)])
}

/** Whether other templates or blocks look at what is named around them. */
function isSeen(node: Node): boolean {
  return [nodes.Include, nodes.Block, nodes.Import, nodes.FromImport].some((kind) => within<Node>(node, kind).length > 0)
}

/** What nunjucks compiles, said more plainly; what it means stays the same. */
class PlainCompiler extends compiler.Compiler {
  own = new Set<string>()
  #called: Node | undefined
  #conditions = 0
  #unseen = new Set<string>()
  #given = new Set<string>()
  #beginning = 0

  override compileOutput(node: Output, scope: Scope): void {
    for (const child of node.children) {
      const plain = child instanceof nodes.TemplateData
      this._emit(`${this.buffer} += ${plain ? '' : 'shown('}`)
      this.compile(child, scope)
      this._emit(plain ? ';\n' : ');\n')
    }
  }

  /** What a template is called with stays the same while it is drawn: it is looked up at the beginning. */
  override _emitFuncBegin(node: Node, name: string): void {
    super._emitFuncBegin(node, name)
    this.#given = new Set()
    this.#beginning = this.codebuf.push('') - 1
  }

  override compileSymbol(node: Name, scope: Scope): void {
    if (scope.lookup(node.value) || this.own.has(node.value)) super.compileSymbol(node, scope)
    else this.#emitGiven(node.value)
  }

  #emitGiven(name: string): void {
    this.#given.add(name)
    this._emit(`given_${name}`)
  }

  override _emitFuncEnd(noReturn?: boolean): void {
    this.codebuf[this.#beginning] = [...this.#given].map((name) => `const given_${name} = context.lookup("${name}");\n`).join('')
    super._emitFuncEnd(noReturn)
  }

  /** A property of its name; only a method that is called must be told whose it is. */
  override compileLookupVal(node: LookupVal, scope: Scope): void {
    if (node === this.#called || !(node.val instanceof nodes.Literal)) super.compileLookupVal(node, scope)
    else this.#emitProperty(node, scope)
  }

  #emitProperty({ target, val }: LookupVal, scope: Scope): void {
    this._emit('(')
    this.compile(target, scope)
    this._emit(')?.[')
    this.compile(val, scope)
    this._emit(']')
  }

  override compileFunCall(node: FunCall, scope: Scope): void {
    this.#called = node.name
    super.compileFunCall(node, scope)
  }

  /** The properties of `loop` only where somebody may ask for them. */
  override _emitLoopBindings(node: For, list: string, index: string, length: string): void {
    const asked = within(node.body, nodes.Symbol).some(({ value }) => value === 'loop') || within(node.body, nodes.Include).length > 0
    if (asked) super._emitLoopBindings(node, list, index, length)
  }

  override compileIf(node: Node, scope: Scope): void {
    this.#perhaps(() => super.compileIf(node, scope))
  }

  override compileSwitch(node: Node, scope: Scope): void {
    this.#perhaps(() => super.compileSwitch(node, scope))
  }

  /** A function of its own: what it names is nobody's variable outside. */
  override compileCapture(node: Node, scope: Scope): void {
    this.#perhaps(() => super.compileCapture(node, scope))
  }

  override compileFor(node: For, scope: Scope): void {
    const around = this.#unseen
    this.#unseen = new Set(isSeen(node.body) ? [] : [node.name, ...within(node.name, nodes.Symbol)].map(({ value }) => value))
    if (node.else_) this.#perhaps(() => super.compileFor(node, scope))
    else super.compileFor(node, scope)
    this.#unseen = around
  }

  /** What only the body of a loop asks for is a variable there, and needs no place where it could be looked up. */
  override _emitLine(code: string): void {
    const name = /^frame\.set\("(\w+)", [^,]*\);$/.exec(code)?.[1]
    if (!name || !this.#unseen.has(name)) super._emitLine(code.replace(/^frame\.set\((.*), true\);$/, 'assign(frame, $1);'))
  }

  #perhaps(compile: () => void): void {
    this.#conditions++
    compile()
    this.#conditions--
  }

  /** What is always set is known from there on by its variable. */
  override compileSet(node: Assignment, scope: Scope): void {
    for (const { value: name } of node.targets) if (this.#conditions === 0 && !scope.lookup(name)) this.#declare(name, scope)
    super.compileSet(node, scope)
  }

  #declare(name: string, scope: Scope): void {
    const variable = this._tmpid()
    this._emit(`var ${variable} = runtime.contextOrFrameLookup(context, frame, "${name}");\n`)
    scope.set(name, variable)
  }

  /** At once, as everything here: our loader does not keep anybody waiting. */
  override compileInclude(node: Include, scope: Scope): void {
    this._emit(`${this.buffer} += included(env, context, frame, `)
    this.compile(node.template, scope)
    this._emit(');\n')
  }
}
