import type { Database } from '../../src/database/open.ts'
import { receiveFile, recordUploads, type TemporaryFile } from '../../src/http/uploads/store.ts'

/** Stores a file as if somebody had uploaded it. */
export async function storeUpload(
  place: { db: Database; dataDir: string },
  stream: AsyncIterable<Buffer>,
  sent: { name: string; type?: string; limit?: number; userId: number },
): Promise<TemporaryFile> {
  const arrived = await receiveFile(place.dataDir, stream, sent)
  await recordUploads(place, [arrived], sent.userId)
  return arrived
}
