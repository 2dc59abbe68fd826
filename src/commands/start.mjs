// `npm start`: from a fresh checkout to a listening service.
import { buildWhenStale, prepare } from './install.mjs'

await prepare()
buildWhenStale()
await import('../../dist/main.js')
