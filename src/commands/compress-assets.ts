import { existsSync, readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { assetFiles } from '../view/assets.ts'
import { writeOnce } from '../view/write-once.ts'

for (const path of assetFiles.filter((path) => !existsSync(`${path}.br`))) {
  const content = readFileSync(path)
  writeOnce(`${path}.gz`, gzipSync(content, { level: 9 }))
  writeOnce(`${path}.br`, brotliCompressSync(content))
}
