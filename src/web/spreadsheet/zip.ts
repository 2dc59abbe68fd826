import { inflateRawSync } from 'node:zlib'

const endSignature = 0x06054b50
const entrySignature = 0x02014b50

/** Unpacks a zip file and throws if it exceeds `limit` bytes: the sizes in its header may be false. */
export function checkUnpackedSize(zip: Buffer, limit: number): void {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || zip.readUInt32LE(end) !== endSignature) throw new RangeError('not a zip file')
  let left = limit
  let at = zip.readUInt32LE(end + 16)
  for (let entries = zip.readUInt16LE(end + 10); entries > 0; entries--) {
    if (zip.readUInt32LE(at) !== entrySignature) throw new RangeError('not a zip entry')
    left -= unpackedSize(zip, at, left)
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
}

function unpackedSize(zip: Buffer, entry: number, left: number): number {
  const packed = zip.readUInt32LE(entry + 20)
  const local = zip.readUInt32LE(entry + 42)
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const stored = zip.readUInt16LE(entry + 10) === 0
  const content = zip.subarray(start, start + packed)
  const size = stored ? content.length : inflateRawSync(content, { maxOutputLength: Math.max(left, 1) }).length
  if (size > left) throw new RangeError('too large')
  return size
}
