/** Node's `http`. Imported as an ES module it would load undici, which nobody here uses, at every start: a tenth of it. */
export const nodeHttp = process.getBuiltinModule('node:http')
