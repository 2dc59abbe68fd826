import { HttpError } from '../http.ts'

/**
 * The requested state of a switch, so that a repeated request changes nothing.
 * @throws HttpError 422 for anything but 1 and 0
 */
export function parseSwitch(text: string | null): boolean {
  if (text !== '0' && text !== '1') throw new HttpError(422, 'Invalid value')
  return text === '1'
}
