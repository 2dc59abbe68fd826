import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary copy of a checkout, with its packages, into which faults may be put. */
export function copyCheckout(root) {
  const copy = mkdtempSync(join(tmpdir(), 'mutations-'))
  const left = new Set(['node_modules', '.git', 'dist', 'data', '.tap'])
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(path.slice(root.length).replace(/^\//, '')) })
  mkdirSync(join(copy, 'node_modules'))
  // Not what is kept between runs, which would be of faults.
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  return copy
}
