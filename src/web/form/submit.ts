import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodyOf } from './body.ts'
import { type Entry, type Form, isValid, type Values } from './form.ts'
import { type FormPage, readForm } from './read.ts'

/** Input that only the writing transaction can judge; thrown inside it, so that nothing is saved. */
export class Invalid extends Error {
  readonly errors: Entry['errors']
  constructor(errors: Record<string, string>) {
    super('invalid input')
    this.errors = Object.fromEntries(Object.entries(errors).map(([name, message]) => [name, { message }]))
  }
}

interface Submission {
  form: Form
  page: FormPage
  /** Saves the values and returns where to go on; may throw `Invalid`. */
  save: (values: Values) => string | Promise<string>
  /** Shows the form again with what was typed and what is wrong. */
  again: (entry: Entry) => FastifyReply
}

/** The course of every form: read, save, go on; or the same form again with 422, nothing saved, nothing typed lost. */
export async function submit(request: FastifyRequest, reply: FastifyReply, { form, page, save, again }: Submission): Promise<FastifyReply> {
  const entry = readForm(form, page, bodyOf(request))
  if (isValid(entry)) {
    try {
      return reply.redirect(await save(entry.values), 303)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      entry.errors = error.errors
    }
  }
  reply.code(422)
  return again(entry)
}
