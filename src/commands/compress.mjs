// Part of the build: each asset as small as it gets, beside the compiled program. A test names the program as it is written.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const { assetContent, compressedAssets } = await import(process.argv[2] ?? '../../dist/web/view/assets.js')

for (const { name, path } of compressedAssets.filter(({ path }) => !existsSync(path))) {
  const content = Buffer.from(assetContent(name))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, brotliCompressSync(content, { params }))
  // Whoever starts meanwhile finds all of it or nothing.
  renameSync(draft, path)
}
