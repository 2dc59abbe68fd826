// `npm run build`: everything that a service needs to start without npm.
import { buildWhenStale, installMissing } from './install.mjs'

installMissing()
buildWhenStale()
