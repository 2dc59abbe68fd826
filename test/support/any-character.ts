import fc from 'fast-check'

/** Any code point but halves of pairs, as a unit of strings. The library's own `binary` maps all million of them first. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10ffff - 0x800 }))
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800))
