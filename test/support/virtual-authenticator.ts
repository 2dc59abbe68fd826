import type { Page } from 'playwright-core'

interface Credential {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  privateKey: string
  userHandle?: string
  signCount: number
}

/** A device with passkeys inside this page's browser, driven through the DevTools protocol. */
export async function virtualAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const credentials = async (): Promise<Credential[]> => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  const replaceAll = async (credential: Credential) => {
    await session.send('WebAuthn.clearCredentials', { authenticatorId })
    await session.send('WebAuthn.addCredential', { authenticatorId, credential })
  }
  return {
    credentials,
    keepOnly: replaceAll,
    replaceCredential: replaceAll,
    verifyUser: (isUserVerified: boolean) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}
