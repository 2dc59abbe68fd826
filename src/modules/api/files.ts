import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AnyRule, either, ignoringScope } from '../../core/access.ts'
import type { Problem } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { storedName } from '../../http/uploads/multipart.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { type FileJson, jsonOfFile } from '../../records/api/file-json.ts'
import { invalid, sendProblem } from '../../records/api/problem.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { acceptedFiles } from '../../records/form/form.ts'
import { resourcesOf } from '../../records/kind/registry.ts'
import { orderAccess } from '../orders/access.ts'

/** The parts that a body may have: files as they are, and pictures, of which smaller copies are made. */
export const fileParts = ['file', 'picture'] as const

const accepted = { uploads: /^file$/, gallery: /^picture$/ }

/** Files that records are to hold: sent by themselves, then named by their keys. */
export function uploadRoutes(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/x-www-form-urlencoded')
  scope.setErrorHandler(sendProblem)
  scope.post('/v1/files', { access: mayUpload(scope), answers: 'json', ...accepted }, sendKeys)
}

/** Whoever may write a record with files. A step of an order may ask for one, whoever makes it. */
function mayUpload(app: FastifyInstance): AnyRule {
  const rules = resourcesOf(app).flatMap(({ card }) => (card && holdsFiles(card.form) ? [card.may.add, card.may.edit] : []))
  return either(...[orderAccess.view, ...rules].map(ignoringScope))
}

const holdsFiles = (form: Parameters<typeof acceptedFiles>[0]) => Object.keys(acceptedFiles(form, 'edit')).length > 0

function sendKeys(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [problem] = Object.values(request.uploadErrors)
  if (problem) throw invalid(request, request.uploadErrors, problem.status)
  const files = [...bodyOf(request)].map(([name, key]) => uploadedAs(request, name, key))
  if (files.length === 0) throw invalid(request, { file: { message: 'Choose a file.' } })
  return sendJson(reply.code(201), { items: files })
}

function uploadedAs(request: FastifyRequest, name: string, key: string): FileJson {
  const upload = fileParts.some((part) => storedName(part) === name) && ownUpload(request.server.db, key, request.actor.id)
  if (!upload) throw invalid(request, { [name]: unknown })
  return jsonOfFile(request, key, upload.name)
}

const unknown: Problem = { message: 'Unknown field.' }
