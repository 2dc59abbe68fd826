// `npm run build`: everything that a service needs to start without npm.
import { buildWhenStale, prepare } from './install.mjs'

await prepare()
buildWhenStale()
