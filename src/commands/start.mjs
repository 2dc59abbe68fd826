// `npm start`: from a fresh checkout to a listening service.
import { buildWhenStale, installMissing } from './install.mjs'

installMissing()
buildWhenStale()
await import('../../dist/main.js')
