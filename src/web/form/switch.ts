import { HttpError } from '../http.ts'

/** The requested state of a switch, so that a repeated request changes nothing. */
export function parseSwitch(text: string | null): boolean {
  if (text !== '0' && text !== '1') throw new HttpError(422, 'Invalid value')
  return text === '1'
}
