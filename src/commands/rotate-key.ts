// `npm run rotate-key`: new cookies use a new key from the next start; nobody is signed out.
import { readConfig } from '../config.ts'
import { rotateKey } from '../web/access/session-key.ts'
import { fail } from './arguments.ts'

try {
  const { dataDir } = readConfig(process.env)
  rotateKey(dataDir)
  console.log('There is a new session key. Restart the service to use it; everybody stays signed in.')
} catch (error) {
  fail(error)
}
