import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, everyone, inOwnName, owned } from '../../core/access.ts'
import type { ApiToken } from '../../web/access/api-tokens.ts'
import { requireRecentPassword } from '../../web/access/policy-hook.ts'
import { onRecord, writeRecord } from '../../web/access/record-routes.ts'
import { date, type Entry, type FormState, formWithoutTable, optionalToggle, text } from '../../web/form/form.ts'
import { readForm } from '../../web/form/read.ts'
import { readSubmittedForm, ValidationFailed } from '../../web/form/submit.ts'
import { type FormView, presentForm } from '../../web/form/view.ts'
import { flash, url } from '../../web/http.ts'
import { carryOutOnce, SentOtherwise } from '../../web/submissions/idempotency.ts'
import { createToken, findApiToken, type ListedToken, type NewToken, revokeToken, tokensOf } from '../users/api-tokens/api-token.ts'
import type { User } from '../users/user.ts'

export interface OwnTokens {
  tokens: ListedToken[]
  tokenForm: FormView
  /** Shown once, in the answer that makes it. */
  token?: string
}

const tokenForm = formWithoutTable([
  {
    title: 'New API token',
    fields: {
      name: text('Token name', { required: true, max: 100, hint: 'Which program will use it' }),
      expires: date('Valid until', { hint: 'If empty, one year' }),
      read_only: optionalToggle('Read-only'),
    },
  },
])

const tokenState: FormState = { mode: 'create', stored: {}, choices: {} }

export function presentTokens({ server, t }: FastifyRequest, { id }: User, entry?: Entry): OwnTokens {
  return { tokens: tokensOf(server.db, id), tokenForm: presentForm(tokenForm, tokenState, t, entry) }
}

const ownToken = owned<ApiToken>(
  'your own tokens, unless you are impersonating someone',
  (actor, token) => token.user_id === actor.id && !actor.impersonator,
)

type ShowSecurity = (request: FastifyRequest, reply: FastifyReply, more: Partial<OwnTokens>) => FastifyReply

export function ownTokenRoutes(app: FastifyInstance, show: ShowSecurity): void {
  app.post('/profile/tokens', { access: anyOf(inOwnName) }, addToken(show))
  app.post('/profile/tokens/:id/revoke', onRecord({ access: anyOf(everyone(ownToken)), record: findApiToken }, revokeOwnToken))
}

function addToken(show: ShowSecurity) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    requireRecentPassword(request)
    const sent = readSubmittedForm(request)
    const entry = readForm(tokenForm, tokenState, sent)
    if (Object.keys(entry.errors).length > 0) return showAgain(entry)
    try {
      const { result: token } = writeRecord(request, undefined, () =>
        carryOutOnce(request, sent.body, () => ({ location: '/profile', result: createToken(request, entry.values as NewToken) })),
      )
      return show(request, reply, { token })
    } catch (error) {
      if (error instanceof SentOtherwise) return showAgain(entry, error.status)
      if (!(error instanceof ValidationFailed)) throw error
      return showAgain({ ...entry, errors: error.errors })
    }

    function showAgain(entry: Entry, status = 422) {
      return show(request, reply.code(status), { tokenForm: presentForm(tokenForm, tokenState, request.t, entry) })
    }
  }
}

function revokeOwnToken(request: FastifyRequest, reply: FastifyReply, token: ApiToken) {
  writeRecord(request, token, ({ id }) => revokeToken(request, request.actor, id))
  flash(request, 'API token {name} revoked', { name: token.name })
  return reply.redirect(url(request.server, '/profile?tab=security'), 303)
}
