// What we use of nunjucks beyond what it says of itself.
declare module 'nunjucks/src/nodes.js' {
  export interface Node {
    lineno: number
  }
  export interface Literal extends Node {
    value: unknown
  }
  export interface Name extends Node {
    value: string
  }
  export interface LookupVal extends Node {
    target: Node
    val: Node
  }
  export interface FunCall extends Node {
    name: Node
  }
  export interface For extends Node {
    /** One name, or the list of several. */
    name: Name
    body: Node
    else_: Node | null
  }
  export interface FromImport extends Node {
    names: Node
  }
  export interface Import extends Node {
    target: Node
  }
  export interface Macro extends Node {
    name: Node
    args: Node
  }
  export interface Include extends Node {
    template: Node
  }
  export interface Assignment extends Node {
    targets: Name[]
  }
  export interface Output extends Node {
    children: Node[]
  }
  const nodes: {
    Block: new () => Node
    For: new () => For
    FromImport: new () => FromImport
    Import: new () => Import
    Include: new () => Include
    Literal: new () => Literal
    Macro: new () => Macro
    Node: new () => Node
    Set: new () => Assignment
    Symbol: new () => Name
    TemplateData: new () => Literal
  }
  export default nodes
}

declare module 'nunjucks/src/parser.js' {
  import type { Node } from 'nunjucks/src/nodes.js'

  const parser: { parse(source: string): Node }
  export default parser
}

declare module 'nunjucks/src/transformer.js' {
  import type { Node } from 'nunjucks/src/nodes.js'

  const transformer: { transform(tree: Node, asyncFilters: string[]): Node }
  export default transformer
}

declare module 'nunjucks/src/compiler.js' {
  import type { Assignment, For, FunCall, Include, LookupVal, Name, Node, Output } from 'nunjucks/src/nodes.js'
  /** The names that are known while a template is compiled, each with the variable that holds its value. */
  export interface Scope {
    lookup(name: string): string | undefined
    set(name: string, variable: string): void
  }
  class Compiler {
    constructor(name: string)
    /** The variable that takes what is drawn. */
    buffer: string
    compile(node: Node, scope?: Scope): void
    compileCapture(node: Node, scope: Scope): void
    compileFor(node: For, scope: Scope): void
    compileFunCall(node: FunCall, scope: Scope): void
    compileIf(node: Node, scope: Scope): void
    compileInclude(node: Include, scope: Scope): void
    compileLookupVal(node: LookupVal, scope: Scope): void
    compileOutput(node: Output, scope: Scope): void
    compileSet(node: Assignment, scope: Scope): void
    compileSwitch(node: Node, scope: Scope): void
    compileSymbol(node: Name, scope: Scope): void
    getCode(): string
    protected _emit(code: string): void
    protected _emitLine(code: string): void
    protected codebuf: string[]
    protected _emitFuncBegin(node: Node, name: string): void
    protected _emitFuncEnd(noReturn?: boolean): void
    protected _emitLoopBindings(node: For, list: string, index: string, length: string): void
    protected _tmpid(): string
  }
  const compiler: { Compiler: typeof Compiler }
  export default compiler
}
