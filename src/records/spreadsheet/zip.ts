import { createInflateRaw } from 'node:zlib'

export interface ZipEntry {
  name: string
  method: number
  /** Bytes within the file, and unpacked. */
  packed: number
  size: number
  start: number
}

const signature = { entry: 0x02014b50, local: 0x04034b50 }
const zip64Extra = 1
const inZip64 = 0xffffffff
const methods = { stored: 0, deflated: 8 }
const encrypted = 1
/** The sizes follow the content. */
const streamed = 8

/** The entries of a zip file by name. Throws unless all headers agree; zip64, which no spreadsheet of use needs, is refused. */
export function readZip(zip: Buffer): Map<string, ZipEntry> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  expect(end >= 0 && end + 22 + zip.readUInt16LE(end + 20) === zip.length, 'a zip file')
  const count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  const entries = new Map<string, ZipEntry>()
  for (let index = 0; index < count; index++) {
    const entry = readEntry(zip, at)
    expect(!entries.has(entry.name), 'every name once')
    entries.set(entry.name, entry)
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  expect(at === end, 'nothing but entries before the end: no records of zip64')
  return entries
}

function readEntry(zip: Buffer, at: number): ZipEntry {
  expect(zip.readUInt32LE(at) === signature.entry, 'an entry')
  const [flags, method] = [zip.readUInt16LE(at + 8), zip.readUInt16LE(at + 10)]
  const [packed, size, local] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24), zip.readUInt32LE(at + 42)]
  const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)]
  const name = zip.subarray(at + 46, at + 46 + nameLength)
  expect(!(flags & encrypted) && Object.values(methods).includes(method), 'a way of packing that spreadsheets use')
  expect(method !== methods.stored || packed === size, 'what is not packed to be as large as it says')
  expect(packed !== inZip64 && size !== inZip64 && local !== inZip64, 'no zip64')
  expectNoZip64(zip.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
  return { name: name.toString(), method, packed, size, start: readLocalHeader(zip, local, { name, flags, method, packed, size }) }
}

interface Header {
  name: Buffer
  flags: number
  method: number
  packed: number
  size: number
}

/** Where the content begins. */
function readLocalHeader(zip: Buffer, at: number, { name, flags, method, packed, size }: Header): number {
  expect(zip.readUInt32LE(at) === signature.local, 'a local header')
  const [nameLength, extraLength] = [zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)]
  const start = at + 30 + nameLength + extraLength
  const said = [zip.readUInt32LE(at + 18), zip.readUInt32LE(at + 22)]
  const isUnsaid = Boolean(flags & streamed) && said.every((length) => length === 0)
  expect(isUnsaid || (said[0] === packed && said[1] === size), 'equal sizes')
  expect(zip.readUInt16LE(at + 8) === method && name.equals(zip.subarray(at + 30, at + 30 + nameLength)), 'equal headers')
  expectNoZip64(zip.subarray(at + 30 + nameLength, start))
  expect(start + packed <= zip.length, 'the whole content')
  return start
}

function expectNoZip64(extra: Buffer): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) expect(extra.readUInt16LE(at) !== zip64Extra, 'no zip64')
}

/** The content of an entry, piece by piece. Throws when it is more or less than the headers say. */
export async function* unpack(zip: Buffer, { method, packed, size, start }: ZipEntry): AsyncGenerator<Buffer> {
  const content = zip.subarray(start, start + packed)
  if (method === methods.stored) return yield content
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  inflate.end(content)
  let unpacked = 0
  for await (const piece of inflate) {
    unpacked += piece.length
    expect(unpacked <= size, 'no more than the headers say')
    yield piece
  }
  expect(unpacked === size && inflate.bytesWritten === packed, 'no less than the headers say')
}

function expect(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new RangeError(`expected ${what}`)
}
