import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRule } from '../../core/access.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, toError } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { incomingFolder, storedPath } from '../../http/uploads/folder.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { readSpreadsheet, type Sheet } from '../spreadsheet/read.ts'

/** Bytes of a file with rows. */
const fileLimit = 50 * 1024 * 1024

interface Received {
  /** Stores the rows of the file and returns the id under which they are looked through. */
  store: (context: Context, name: string, sheet: Sheet) => Promise<number>
  /** Where they are looked through, without the id. */
  path: string
  /** Asks for a file again, saying why. */
  show: (request: FastifyRequest, reply: FastifyReply, problem: HttpError) => FastifyReply
}

/** The options of a POST that reads the rows of a file and leads to them. */
export function receiveFile(access: AnyRule, { store, path, show }: Received) {
  return action(
    { access, uploads: /^file$/, fileLimit },
    {
      prepare: (request) => readFile(request, (name, sheet) => store(request, name, sheet)),
      perform: ({ server }, _, id) => ({ location: url(server, `${path}/${id}`) }),
      showAgain: (request, reply, _, problem) => show(request, reply, problem),
    },
  )
}

async function readFile(request: FastifyRequest, store: (name: string, sheet: Sheet) => Promise<number>): Promise<number> {
  const { db, config, server } = request.server
  const { socket } = request.raw
  const key = bodyOf(request).getAll('file[stored]').at(-1)
  if (request.uploadErrors.file) throw toError(request.uploadErrors.file)
  const upload = key && ownUpload(db, key, request.actor.id)
  if (!upload) throw new HttpError(422, 'Choose a file.')
  const canceled = new AbortController()
  const cancel = () => canceled.abort(new HttpError(400, 'The form was not received completely. Send it again.'))
  socket.once('close', cancel)
  // Others may be read before, so a silent socket does not mean that the client is gone.
  socket.setTimeout?.(0)
  try {
    const path = storedPath(config.dataDir, key)
    return await readSpreadsheet(path, incomingFolder(config.dataDir), canceled.signal, (sheet) => store(upload.name, sheet))
  } finally {
    socket.setTimeout?.(server.timeout)
    socket.off('close', cancel)
  }
}
