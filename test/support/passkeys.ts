import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Authenticator } from './authenticator.ts'
import type { Browser } from './cabinet.ts'
import { password } from './cast.ts'

export const sendJson = (browser: Browser, path: string, body: unknown, headers: Record<string, string> = {}) =>
  browser.send('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))

export async function registrationOptions(browser: Browser, fields: Record<string, string> = { current_password: password }) {
  return (await browser.post('/profile/passkeys/options', fields)).json<PublicKeyCredentialCreationOptionsJSON>()
}

export async function register(browser: Browser, device: Authenticator, name = 'Phone') {
  const credential = device.register(await registrationOptions(browser))
  return sendJson(browser, '/profile/passkeys', { ...credential, name })
}

export async function signInOptions(browser: Browser, fields: Record<string, string> = {}) {
  return (await browser.post('/login/passkey/options', fields)).json<PublicKeyCredentialRequestOptionsJSON>()
}

export async function signInWith(browser: Browser, device: Authenticator, deviation: Parameters<Authenticator['answer']>[1] = {}) {
  return sendJson(browser, '/login/passkey', device.answer(await signInOptions(browser), deviation))
}
