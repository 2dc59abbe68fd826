import { prepareOnce } from '../../../database/index.ts'
import type { Document } from '../../../documents/document.ts'
import { makePdf } from '../../../documents/make-pdf.ts'
import { LimitReached } from '../../../http/access/rate-limit.ts'
import type { Context } from '../../../http/request/context.ts'
import { realUserId } from '../../users/access.ts'

/** Files are made one after the other for everybody: nobody may fill the queue. */
const most = 2
const pause = 5

/** By database: how many are being made for each person. */
const making = prepareOnce(() => new Map<number, number>())

/** @throws LimitReached (429) while as many are being made for this person as may be at a time */
export async function makeOfferPdf({ server, actor }: Context, document: Document): Promise<Buffer> {
  const counts = making(server.db)
  const person = realUserId(actor)
  const count = (more: number) => counts.set(person, (counts.get(person) ?? 0) + more)
  if ((counts.get(person) ?? 0) >= most)
    throw new LimitReached(pause, '{max} offers are being made for you. Try again after {time}.', { max: most })
  count(1)
  try {
    return await makePdf([document])
  } finally {
    count(-1)
  }
}
