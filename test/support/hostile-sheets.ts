import { deflateRawSync } from 'node:zlib'

interface Entry {
  name: string
  /** Its text, or what is packed already. */
  content: string | Packed
  /** Sizes that the headers claim. */
  local?: number
  central?: number
  /** An extra field of the local header, or of the central one. */
  localExtra?: Buffer
  centralExtra?: Buffer
}

interface Packed {
  packed: Buffer
  size: number
}

/** A zip file whose headers say what they are told to. */
export function makeZip(entries: Entry[], { zip64 = false } = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, local, central, localExtra = Buffer.alloc(0), centralExtra = Buffer.alloc(0) } of entries) {
    const { packed, size } = typeof content === 'string' ? pack(Buffer.from(content)) : content
    const before = at
    const head = header(name, packed.length, local ?? size, localExtra)
    locals.push(Buffer.concat([Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), localExtra, packed]))
    at += locals.at(-1)?.length as number
    const more = Buffer.alloc(14)
    more.writeUInt32LE(before, 10)
    const said = header(name, packed.length, central ?? size, centralExtra)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), said, more, Buffer.from(name), centralExtra]))
  }
  const entriesOfAll = Buffer.concat(directory)
  const locator = zip64 ? zip64End(entries.length, entriesOfAll.length, at) : Buffer.alloc(0)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(entriesOfAll.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, entriesOfAll, locator, end])
}

/** What both headers have in common. */
function header(name: string, packed: number, size: number, extra: Buffer): Buffer {
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(packed, 14)
  common.writeUInt32LE(size, 18)
  common.writeUInt16LE(name.length, 22)
  common.writeUInt16LE(extra.length, 24)
  return common
}

function zip64End(count: number, length: number, at: number): Buffer {
  const record = Buffer.alloc(56 + 20)
  record.write('PK\u0006\u0006', 'latin1')
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(length), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  record.write('PK\u0006\u0007', 56, 'latin1')
  record.writeBigUInt64LE(BigInt(at + length), 64)
  record.writeUInt32LE(1, 72)
  return record
}

export function zip64Sizes(size: number): Buffer {
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(size), 4)
  extra.writeBigUInt64LE(BigInt(size), 12)
  return extra
}

export function pack(content: Buffer): Packed {
  return { packed: deflateRawSync(content, { level: 1 }), size: content.length }
}

const spreadsheetml = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The entries of a valid workbook; `more` come after them or replace those of the same name. */
export function workbookEntries(sheetData: string | Packed, sharedStrings: string, more: Entry[] = []): Entry[] {
  const replaced = new Map(more.map((entry) => [entry.name, entry]))
  const entries: Entry[] = [
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns="${spreadsheetml}" xmlns:r="${relationships}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    },
    { name: 'xl/worksheets/sheet1.xml', content: typeof sheetData === 'string' ? sheetXml(sheetData) : sheetData },
    { name: 'xl/sharedStrings.xml', content: `<sst xmlns="${spreadsheetml}">${sharedStrings}</sst>` },
  ]
  return [...entries.filter(({ name }) => !replaced.has(name)), ...more]
}

export const sheetXml = (sheetData: string) => `<worksheet xmlns="${spreadsheetml}"><sheetData>${sheetData}</sheetData></worksheet>`

export const headerRow = '<row r="1"><c r="A1" t="inlineStr"><is><t>org</t></is></c></row>'

/** Rows of so many cells, each of which names the same shared string. */
export function rowsOfOneText(rows: number, columns: number): string {
  const cells = '<c t="s"><v>0</v></c>'.repeat(columns)
  return headerRow + `<row>${cells}</row>`.repeat(rows)
}

/** An entry that unpacks to so many bytes of zeros. */
export const zeros = (megabytes: number) => pack(Buffer.alloc(megabytes * 1024 ** 2, 0x20))
