declare module 'zip-stream' {
  import type { Readable, Transform } from 'node:stream'
  import type { ZlibOptions } from 'node:zlib'

  /** Writes a zip archive, an entry after the other. */
  export default class ZipStream extends Transform {
    constructor(options?: { zlib?: ZlibOptions })
    entry(content: string | Readable, data: { name: string }, added: (error?: Error) => void): void
    finalize(): void
  }
}
