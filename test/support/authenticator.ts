import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'

interface Key {
  id: Buffer
  privateKey: KeyObject
  userHandle: string
  counter: number
}

/** What an attacker, or an odd device, would do otherwise. */
interface Deviation {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  userVerified?: boolean
  type?: string
  format?: string
  credentialId?: Buffer
}

/** A device with passkeys, made of real keys, CBOR and signatures. Synced ones never count. */
export class Authenticator {
  readonly keys: Key[] = []
  readonly #origin: string
  readonly #synced: boolean

  constructor({ origin = 'http://localhost:3000', synced = false } = {}) {
    this.#origin = origin
    this.#synced = synced
  }

  register({ challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON, deviation: Deviation = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = deviation.credentialId ?? randomBytes(32)
    const key = { id, privateKey, userHandle: user.id, counter: 0 }
    this.keys.push(key)
    const { x, y } = publicKey.export({ format: 'jwk' })
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(String(x), 'base64url'))],
        [-3, Uint8Array.from(Buffer.from(String(y), 'base64url'))],
      ]),
    )
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const credential = Buffer.concat([Buffer.alloc(16), length, id, cose])
    const data = Buffer.concat([this.#head(key, rp.id as string, 0x40, deviation), credential])
    const attestation = new Map<string, unknown>([
      ['fmt', deviation.format ?? 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(data)],
    ])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, deviation)
    const attestationObject = Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url')
    return this.#credential(id, { clientDataJSON, attestationObject, transports: ['internal'] })
  }

  /** Answers with the key given, or with the latest that the options allow. */
  answer(options: PublicKeyCredentialRequestOptionsJSON, deviation: Deviation = {}, chosen?: Key) {
    const allowed = options.allowCredentials?.map(({ id }) => id)
    const key = chosen ?? this.keys.findLast(({ id }) => !allowed?.length || allowed.includes(id.toString('base64url')))
    if (!key) throw new Error('no passkey for this')
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, deviation)
    const data = this.#head(key, options.rpId as string, 0, deviation)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const signature = sign('sha256', Buffer.concat([data, hash]), key.privateKey).toString('base64url')
    const response = { clientDataJSON, authenticatorData: data.toString('base64url'), signature, userHandle: key.userHandle }
    return this.#credential(key.id, response)
  }

  #credential<T>(id: Buffer, response: T) {
    const named = id.toString('base64url')
    return { id: named, rawId: named, type: 'public-key', response, clientExtensionResults: {}, authenticatorAttachment: 'platform' }
  }

  #clientData(type: string, challenge: string, deviation: Deviation): string {
    const data = {
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? this.#origin,
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  #head(key: Key, rpId: string, more: number, { counter, rpId: otherId, userVerified = true }: Deviation): Buffer {
    if (!this.#synced) key.counter += 1
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (this.#synced ? 0x18 : 0) | more
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? key.counter)
    const party = createHash('sha256')
      .update(otherId ?? rpId)
      .digest()
    return Buffer.concat([party, Buffer.from([flags]), count])
  }
}
