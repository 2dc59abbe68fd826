import { and, eq, gt, min } from 'drizzle-orm'
import { type Database, uploads } from '../../database/index.ts'
import { LimitReached } from '../access/rate-limit.ts'
import { dailyLimit, unattachedLifetime } from './folder.ts'
import { uploadedLastDay } from './store.ts'

/** By database and person: bytes of forms that have not arrived completely. */
const arriving = new WeakMap<Database, Map<number, number>>()

/** What a person may upload: the files of the last day count, and what is arriving with all of their forms. */
export class UploadQuota {
  isExceeded = false
  private readonly db: Database
  readonly userId: number
  private readonly ofPeople: Map<number, number>
  private bytes = 0

  constructor(db: Database, userId: number) {
    this.db = db
    this.userId = userId
    this.ofPeople = arriving.get(db) ?? new Map()
    arriving.set(db, this.ofPeople)
  }

  /** The bytes of a file as far as there is room; the rest is read and dropped, so that the form behind it arrives. */
  async *within(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of file) {
      this.count(chunk.length)
      this.isExceeded ||= uploadedLastDay(this.db, this.userId) + this.arrivingBytes() > dailyLimit
      if (!this.isExceeded) yield chunk
    }
  }

  /** Call it once the files are recorded or discarded. */
  release(): void {
    this.count(-this.bytes)
    if (this.arrivingBytes() === 0) this.ofPeople.delete(this.userId)
  }

  problem(): LimitReached {
    const ofDay = and(gt(uploads.at, Date.now() - unattachedLifetime), eq(uploads.user_id, this.userId))
    const { oldest } =
      this.db
        .select({ oldest: min(uploads.at) })
        .from(uploads)
        .where(ofDay)
        .get() ?? {}
    const wait = oldest ? Math.ceil((oldest + unattachedLifetime - Date.now()) / 1000) : shortWait
    const message = 'You can upload up to {max} GB of files per day. Upload the rest after {time}.'
    return new LimitReached(wait, message, { max: dailyLimit / 1024 ** 3 })
  }

  private count(bytes: number): void {
    this.bytes += bytes
    this.ofPeople.set(this.userId, this.arrivingBytes() + bytes)
  }

  private arrivingBytes(): number {
    return this.ofPeople.get(this.userId) ?? 0
  }
}

/** Seconds, where only what is still arriving takes the room. */
const shortWait = 60
