import * as z from 'zod'

/** Where the next page of a walk begins: after the record with this value of the walked column, and this id. It is one that was told. */
export interface Position {
  value: number
  id: number
  /** Which kind of record that is, where a walk has several. */
  of?: string
}

const shape = z.tuple([z.string(), z.number().int(), z.number().int(), z.string().optional()])

/** @param walk names the list and what it is walked by, so that no other walk takes the token */
export function pageToken(walk: string, { value, id, of }: Position): string {
  return Buffer.from(JSON.stringify([walk, value, id, ...(of === undefined ? [] : [of])])).toString('base64url')
}

/** @returns nothing for a token of another walk, or anything else */
export function readPageToken(walk: string, token: string): Position | undefined {
  const [named, value, id, of] = parse(Buffer.from(token, 'base64url').toString()) ?? []
  return named === walk && value !== undefined && id !== undefined ? { value, id, ...(of !== undefined && { of }) } : undefined
}

function parse(text: string) {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
