import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export class PrivateAddress extends Error {}

// Not the resolver of the operating system: names that nobody answers for would hold up its few threads, and with them sign-ins and files.
const resolver = new Resolver({ timeout: 3000, tries: 2 })
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether an IP address belongs to the internet, and not to this machine, its network or a range with a purpose of its own. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || ip.match(globalUnicast))
}

/** Finds the addresses of a name for a connection that is about to be made to one of them. */
export const lookupPublic: LookupFunction = (hostname, { all }, callback) => {
  resolvePublic(hostname).then(
    (found) => {
      const [first] = found as [(typeof found)[number]]
      if (all) callback(null, found)
      else callback(null, first.address, first.family)
    },
    (error) => callback(error, []),
  )
}

async function resolvePublic(hostname: string) {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)]
  if (!found.every(({ address }) => isPublic(address))) throw new PrivateAddress('private-address')
  return found
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6) {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}
