import { z } from 'zod'

/** Where the next page of a walk begins: after the record with this value of the walked column, and this id. */
export interface Position {
  value: number
  id: number
}

const shape = z.tuple([z.string(), z.number().int(), z.number().int()])

/** @param walk names the list and what it is walked by, so that no other walk takes the token */
export function pageToken(walk: string, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([walk, value, id])).toString('base64url')
}

/** @returns nothing for a token of another walk, or anything else */
export function readPageToken(walk: string, token: string): Position | undefined {
  const [named, value, id] = parse(Buffer.from(token, 'base64url').toString()) ?? []
  return named === walk && value !== undefined && id !== undefined ? { value, id } : undefined
}

function parse(text: string) {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
