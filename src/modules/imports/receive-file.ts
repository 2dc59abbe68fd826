import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LimitReached, limited } from '../../web/access/rate-limit.ts'
import { url } from '../../web/addresses.ts'
import { HttpError, type Problem } from '../../web/errors.ts'
import { bodyOf } from '../../web/input.ts'
import { readSpreadsheet, type Sheet } from '../../web/spreadsheet/read.ts'
import { folderOf, incomingFolder } from '../../web/uploads/folder.ts'
import { ownUpload } from '../../web/uploads/uploaded.ts'

/** Bytes of a file with rows. */
export const fileLimit = 50 * 1024 * 1024

interface Received {
  /** Stores the rows of the file and returns the id under which they are looked through. */
  store: (name: string, sheet: Sheet) => Promise<number>
  address: (id: number) => string
  /** Asks for a file again, saying why. */
  refuse: (error: Problem) => unknown
}

/** Reads the rows of an uploaded file and leads to them. */
export async function receiveFile(request: FastifyRequest, reply: FastifyReply, { store, address, refuse }: Received) {
  const { db, config } = request.server
  const again = (error: Problem) => {
    if (error instanceof LimitReached) limited(reply, error)
    else reply.code(error.status ?? 422)
    return refuse(error)
  }
  const key = bodyOf(request).getAll('file[stored]').at(-1)
  if (request.uploadErrors.file) return again(request.uploadErrors.file)
  const upload = key && ownUpload(db, key, request.actor.id)
  if (!upload) return again({ message: 'Choose a file.' })
  const canceled = new AbortController()
  const cancel = () => canceled.abort(new HttpError(400, 'The form was not received completely. Send it again.'))
  reply.raw.once('close', cancel)
  // Others may be read before, so a silent socket does not mean that the client is gone.
  request.raw.socket.setTimeout?.(0)
  try {
    const path = join(folderOf(config.dataDir, key), key)
    const id = await readSpreadsheet(path, incomingFolder(config.dataDir), canceled.signal, (sheet) => store(upload.name, sheet))
    return reply.redirect(url(request.server, address(id)), 303)
  } catch (error) {
    if (!(error instanceof HttpError) || ![422, 429].includes(error.status)) throw error
    return again(error)
  } finally {
    request.raw.socket.setTimeout?.(request.server.server.timeout)
    reply.raw.off('close', cancel)
  }
}
