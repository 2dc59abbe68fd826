export const paymentStates = ['reported', 'confirmed', 'rejected', 'reversed'] as const
export type PaymentState = (typeof paymentStates)[number]

export const paymentKinds = ['transfer', 'card', 'cash'] as const
export type PaymentKind = (typeof paymentKinds)[number]

/** Money that came in, or that was paid back to a company. */
export const paymentDirections = ['incoming', 'refund'] as const
export type PaymentDirection = (typeof paymentDirections)[number]

export const entryKinds = ['charge', 'payment', 'correction', 'refund'] as const
export type EntryKind = (typeof entryKinds)[number]

/** What a status makes of an order that enters it: from `starts` on its company owes what it costs, until `ends`. */
export const dues = ['starts', 'ends'] as const
export type Due = (typeof dues)[number]

/** Whether orders in a status are called off: nothing is owed for them, whatever they cost. */
export const isCanceled = (status: { due: Due | null } | undefined): boolean => status?.due === 'ends'

/** Since when an order is due after it entered a status. */
export function dueSinceEntering(due: Due | null, since: string | null, today: string): string | null {
  if (due === 'ends') return null
  return due === 'starts' ? (since ?? today) : since
}

/** What a company owes for an order: its cost, in kopecks, while it is due. */
export const chargeFor = ({ due_since, cost }: { due_since: string | null; cost: number }): number => (due_since ? cost : 0)

/** By digits 6 to 8 of an account, its currency: those of the ruble are 810, in some registers 643. */
export const isForeignAccount = (account: string): boolean => /^\d{5}(?!810|643)\d{15}$/.test(account)

/** An amount handed out over shares in their order, each getting at most what it asks for; those that get nothing are left out. */
export function distribute<Share extends { amount: number }>(amount: number, shares: readonly Share[]): Share[] {
  let rest = amount
  return shares.flatMap((share) => {
    const part = Math.min(rest, share.amount)
    if (part <= 0) return []
    rest -= part
    return [{ ...share, amount: part }]
  })
}
