// Node 24 parses a package's whole `exports` at every import of it, which for drizzle-orm costs a test file a second.
import * as nodeModule from 'node:module'

const known = new Map()
const isPackage = /^[@a-z](?!ode:)/

nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const parent = context.parentURL ?? ''
    if (specifier.startsWith('.') && parent.includes('/node_modules/drizzle-orm/') && context.conditions.includes('import'))
      return { url: new URL(specifier, parent).href, format: 'module', shortCircuit: true }
    if (!isPackage.test(specifier) || parent.includes('/node_modules/')) return next(specifier, context)
    const key = `${context.conditions} ${specifier}`
    const found = known.get(key) ?? { ...next(specifier, context), shortCircuit: true }
    known.set(key, found)
    return found
  },
})
