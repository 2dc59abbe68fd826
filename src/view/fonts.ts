import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assetVersion } from './write-once.ts'

/** Inter, in the two scripts that the cabinet is read in; the others, and signs outside of both, are drawn by the system's font. `src/commands/subset-fonts.mjs` makes them. */
export const fontFiles = {
  'inter-latin.woff2': 'static/fonts/inter-latin.woff2',
  'inter-cyrillic.woff2': 'static/fonts/inter-cyrillic.woff2',
} as const

/** Where the style sheet finds a font: beside itself, whatever path the cabinet is served at. */
export function fontSource(root: string, name: string): string {
  const path = fontFiles[name as keyof typeof fontFiles]
  if (!path) throw new Error(`no such font: ${name}`)
  return `url("../${assetVersion(readFileSync(join(root, path)))}/${name}")`
}
