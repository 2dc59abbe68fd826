import { open } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRule } from '../../core/access.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { HttpError, toError } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { incomingFolder, storedPath } from '../../http/uploads/folder.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { Misread, readSpreadsheet, type Sheet } from '../spreadsheet/read.ts'

/** Bytes of a file with rows. */
export const sheetFileLimit = 50 * 1024 * 1024

/** What was uploaded: its key and what it is called. */
export interface SentFile {
  key: string
  name: string
}

export type StoreSheet = (request: FastifyRequest, file: SentFile, sheet: Sheet) => Promise<number>

interface Received {
  /** Stores the rows of the file and returns the id under which they are looked through. */
  store: StoreSheet
  /** Where they are looked through, without the id. */
  path: string
  /** Asks for a file again, saying what is wrong with which. */
  show: (request: FastifyRequest, reply: FastifyReply, problem: string) => FastifyReply
}

/** The options of a POST that reads the rows of a file and leads to them. */
export function receiveFile(access: AnyRule, { store, path, show }: Received) {
  return action(
    { access, uploads: /^file$/, fileLimit: sheetFileLimit },
    {
      prepare: (request) => readReceived(request, store),
      perform: ({ server }, _, id) => ({ location: url(server, `${path}/${id}`) }),
      showAgain: (request, reply, _, problem) =>
        show(request, reply, [findSent(request)?.name, request.t(problem)].filter(Boolean).join(': ')),
    },
  )
}

async function readReceived(request: FastifyRequest, store: StoreSheet): Promise<number> {
  if (request.uploadErrors.file) throw toError(request.uploadErrors.file)
  return readUpload(request, keyOfSent(request), store)
}

const keyOfSent = (request: FastifyRequest) => bodyOf(request).getAll('file[stored]').at(-1)

function findSent(request: FastifyRequest) {
  const key = keyOfSent(request)
  return key ? ownUpload(request.server.db, key, request.actor.id) : undefined
}

/** Reads what this person has uploaded within a day, that sheet of it which is wanted. */
export async function readUpload(
  request: FastifyRequest,
  key: string | null | undefined,
  store: StoreSheet,
  wanted?: string,
): Promise<number> {
  const { db, config, server } = request.server
  const { socket } = request.raw
  const upload = key && ownUpload(db, key, request.actor.id)
  if (!upload) throw new HttpError(422, 'Choose a file.')
  const canceled = new AbortController()
  const cancel = () => canceled.abort(new HttpError(400, 'The form was not received completely. Send it again.'))
  socket.once('close', cancel)
  // Others may be read before, so a silent socket does not mean that the client is gone.
  socket.setTimeout?.(0)
  try {
    const source = { path: storedPath(config.dataDir, key), folder: incomingFolder(config.dataDir), wanted }
    return await readSpreadsheet(source, canceled.signal, (sheet) => store(request, { key, name: upload.name }, sheet))
  } catch (error) {
    throw error instanceof Misread && (await isMisnamed(upload.name, storedPath(config.dataDir, key))) ? notAWorkbook() : error
  } finally {
    socket.setTimeout?.(server.timeout)
    socket.off('close', cancel)
  }
}

const notAWorkbook = () =>
  new HttpError(
    422,
    'This is no Excel workbook, although it is called one. Open it in the program it comes from and save it as xlsx or csv.',
  )

/** A workbook by its name, and none by what it holds. */
async function isMisnamed(name: string, path: string): Promise<boolean> {
  if (!/\.xlsx$/i.test(name)) return false
  const file = await open(path)
  try {
    return (await file.read(Buffer.alloc(2), 0, 2, 0)).buffer.toString() !== 'PK'
  } finally {
    await file.close()
  }
}
