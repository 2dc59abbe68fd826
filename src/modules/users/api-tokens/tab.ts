import type { FastifyInstance, FastifyRequest } from 'fastify'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { doneAtTab } from '../done-at-tab.ts'
import { mayEndSessions } from '../sessions.ts'
import type { User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { type ListedToken, revokeToken, tokensOf } from './api-token.ts'

const tokensPage = template<CardFrame & { tokens: ListedToken[]; revokePath: string }>('api-tokens/tab.njk')

/** Tokens of others are listed and revoked here, never made. */
export function userTokensTab(userType: UserType): Tab<User> {
  return {
    name: 'security',
    label: 'Security',
    icon: 'key',
    rule: mayEndSessions(userType),
    ...cardPart(tokensPage, ({ server }: Context, { id }: User) => ({
      tokens: tokensOf(server.db, id),
      revokePath: url(server, `/${userType.name}/edit/${id}/tokens/revoke`),
    })),
  }
}

export function userTokenRoutes(app: FastifyInstance, userType: UserType): void {
  const options = { access: mayEndSessions(userType), record: userType.find }
  app.post(`/${userType.name}/edit/:id/tokens/revoke`, action(options, revokeTokenOfUser))
}

function revokeTokenOfUser(request: FastifyRequest, user: User): Done {
  const id = parseId(bodyOf(request).get('id'))
  if (id === undefined) throw new HttpError(422, 'Nothing selected.')
  revokeToken(request, user, id)
  return doneAtTab(request, user, 'security', 'API token of {name} revoked')
}
