import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, everyone, inOwnName, owned } from '../../core/access.ts'
import type { ApiToken } from '../../http/access/api-tokens.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { date, optionalToggle, text } from '../../records/fields/index.ts'
import { blankState, type Entry, formWithoutTable } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { createToken, findApiToken, type ListedToken, revokeToken, tokensOf } from '../users/api-tokens/api-token.ts'
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
      name: text('Token name', { required: true, missing: 'Enter a name.', max: 100, hint: 'Which program will use it' }),
      expires: date('Valid until', { hint: 'If empty, one year' }),
      read_only: optionalToggle('Read-only'),
    },
  },
])

export function viewOfTokens({ server, t }: Context, { id }: User, entry?: Entry): OwnTokens {
  return { tokens: tokensOf(server.db, id), tokenForm: viewOfForm(tokenForm, blankState, t, entry) }
}

const ownToken = owned<ApiToken>(
  'your own tokens, unless you are impersonating someone',
  (actor, token) => token.user_id === actor.id && !actor.impersonator,
)

type ShowSecurity = (request: FastifyRequest, reply: FastifyReply, more: Partial<OwnTokens>) => FastifyReply

export function ownTokenRoutes(app: FastifyInstance, show: ShowSecurity): void {
  app.post('/profile/tokens', action({ access: anyOf(inOwnName) }, tokenAction(show)))
  app.post('/profile/tokens/:id/revoke', action({ access: anyOf(everyone(ownToken)), record: findApiToken }, revokeOwnToken))
}

const tokenAction = (show: ShowSecurity) =>
  formAction({
    form: tokenForm,
    mode: 'create',
    prepare: requireRecentPassword,
    state: () => blankState,
    save(request, values) {
      const token = createToken(request, values)
      return { location: url(request.server, '/profile?tab=security'), page: (reply) => show(request, reply, { token }) }
    },
    showAgain: (request, reply, _, entry) => show(request, reply, { tokenForm: viewOfForm(tokenForm, blankState, request.t, entry) }),
  })

function revokeOwnToken(context: Context, { id, name }: ApiToken): Done {
  revokeToken(context, context.actor, id)
  return { location: url(context.server, '/profile?tab=security'), message: ['API token {name} revoked', { name }] }
}
