import { Readable } from 'node:stream'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Actor, allows, type Rule } from '../core/access.ts'
import { findSettings } from '../database/settings.ts'
import { lacksRequiredFactor } from '../http/access/second-factor.ts'
import { url } from '../http/request/addresses.ts'
import { takeFlash } from '../http/request/flash.ts'
import { wantsFragment } from '../http/request/input.ts'
import type { Template } from '../http/request/template.ts'
import { SentOtherwise } from '../http/submissions/idempotency.ts'
import { fileLimit } from '../http/uploads/folder.ts'
import { type Language, preferredLanguage, translator } from '../i18n/translate.ts'
import { version } from '../version.ts'
import { markup } from './html.ts'
import { type MenuItem, menuSections } from './shell.ts'
import { registerTemplates, templatesOf } from './templates.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The HTML of a template outside of an answer. */
    render<Data extends object>(language: Language, page: Template<Data>, data: NoInfer<Data>): Promise<string>
  }
  interface FastifyReply {
    /** Sends a page, or only its `region` block when htmx asks for a fragment. Templates get the data and `pageContext`. */
    page<Data extends object>(page: Template<Data>, data: NoInfer<Data>): FastifyReply
    /** Sends a page whose `{{ later }}` is rendered in parts, so that other requests are served in between. */
    longPage<Data extends object>(page: Template<Data>, data: NoInfer<Data>, later: RemainingParts): FastifyReply
  }
}

const encoder = new TextEncoder()
const scratch = new Uint8Array(1024 * 1024)

/** In one step: to find out the length first, as Fastify and `Buffer.from` do, costs as much as encoding. */
function encode(text: string): Buffer {
  if (3 * text.length > scratch.length) return Buffer.from(text)
  const { written } = encoder.encodeInto(text, scratch)
  return Buffer.copyBytesFrom(scratch, 0, written)
}

interface RemainingParts {
  template: string
  parts: Iterable<object>
}

export const viewPlugin = fp(async (app: FastifyInstance) => {
  app.decorateRequest('t', translator('en'))
  app.decorateRequest('language', 'en')
  app.decorateRequest('whyUnsaved', null)
  app.addHook('onRequest', (request, _reply, done) => {
    applySettings(request)
    done()
  })
  app.addHook('onSend', (_request, _reply, payload, done) => done(null, typeof payload === 'string' ? encode(payload) : payload))
  for (const language of ['en', 'ru'] as const) await registerTemplates(app, language)
  app.decorate('render', (language, { template }, data) => app[templatesOf(language)](template, data))
  app.decorateReply('page', function (page: Template<object>, data) {
    const { request } = this
    return setPageHeaders(this)[templatesOf(request.language)](page.template, { ...pageContext(request), ...data })
  })
  app.decorateReply('longPage', function (page: Template<object>, data, { template, parts }) {
    const { language } = this.request
    const context = { ...pageContext(this.request), ...data }
    const render = (page: Template<object>, more: object) => app.render(language, page, { ...context, ...more })
    return setPageHeaders(this).send(Readable.from(renderInTurn(render, page, { template }, parts), { objectMode: false }))
  })
})

function setPageHeaders(reply: FastifyReply): FastifyReply {
  reply.type('text/html; charset=utf-8').header('Vary', 'HX-Request, HX-Request-Type')
  return reply.hasHeader('Cache-Control') ? reply : reply.header('Cache-Control', 'no-store')
}

/** The page up to its rows comes first, so that browsers show it at once. */
async function* renderInTurn(
  render: (page: Template<object>, more: object) => Promise<string>,
  page: Template<object>,
  part: Template<object>,
  parts: RemainingParts['parts'],
) {
  const placeholder = `<!-- ${crypto.randomUUID()} -->`
  const whole = await render(page, { later: markup(placeholder) })
  const [head = '', tail = ''] = whole.split(placeholder)
  yield head
  for (const data of parts) {
    await yieldToLoop()
    yield await render(part, data)
  }
  yield tail
}

function pageContext(request: FastifyRequest) {
  const { server: app, actor, signIn } = request
  const { sessionId, impersonating } = signIn
  const fragment = wantsFragment(request)
  const lacking = Boolean(sessionId) && lacksRequiredFactor(request)
  const whole = !fragment && sessionId && !lacking
  return {
    layout: fragment ? 'layouts/fragment.njk' : sessionId ? 'layouts/page.njk' : 'layouts/signed-out.njk',
    actor,
    address: request.url,
    impersonating,
    sample: app.sample,
    version,
    installation: findSettings(app.db),
    // Photos are among what has to wait.
    person: sessionId && (lacking ? { ...actor, image: null } : actor),
    menu: whole ? menuOf(request) : [],
    whyUnsaved: request.whyUnsaved && request.t(request.whyUnsaved),
    savedInstead: request.whyUnsaved instanceof SentOtherwise ? request.whyUnsaved.location : undefined,
    topbar: whole ? app.registry.topbar.map(({ template, load }) => ({ template, data: load(request) })) : [],
    later: undefined,
    /** The order whose page is open, for the stream of notifications. */
    followed: undefined,
    flash: fragment ? undefined : takeFlash(request),
    followUp: whole && !isHome(request) ? app.registry.followUps.map((find) => find(request)).find(Boolean) : undefined,
    fileLimit,
    may: <R>(rule: Rule<R>, ...record: [R?]) => allows(rule, actor, ...record),
  }
}

const isHome = ({ url, server }: FastifyRequest) => url.split('?')[0] === `${server.config.baseUrl}/`

function menuOf(request: FastifyRequest) {
  const { server, actor } = request
  const path = (request.url.split('?')[0] as string).slice(server.config.baseUrl.length)
  const allowed = server.registry.menu.filter(({ rule }) => !rule || allows(rule, actor))
  const current = closest(allowed, path)
  const views = server.registry.savedViews.menuViews(request, request.url)
  return [undefined, ...menuSections].flatMap((label) => {
    const items = allowed.filter(({ section }) => section === label)
    const entries = items.map((item) => ({
      ...item,
      current: item === current,
      ...views(item.path),
      ...waitingAt(server, item, actor),
      unread: item.news?.count(actor) ?? 0,
    }))
    return entries.length > 0 ? [{ label, items: entries }] : []
  })
}

/** The address leads to what is counted, where the item leads to more than that. */
function waitingAt(app: FastifyInstance, { path, waiting }: MenuItem, actor: Actor) {
  const count = waiting?.count(actor) ?? 0
  return { waiting: count, ...(waiting && count > 0 && waiting.path !== path && { address: url(app, waiting.path) }) }
}

function closest(menu: readonly MenuItem[], path: string): MenuItem | undefined {
  const lengths = menu.map(({ path: own, also = [] }) =>
    Math.max(...[own, ...also].map((start) => (path === start || path.startsWith(`${start}/`) ? start.length : 0))),
  )
  const longest = Math.max(...lengths)
  return longest > 0 ? menu[lengths.indexOf(longest)] : undefined
}

function applySettings(request: FastifyRequest): void {
  const { db, config } = request.server
  const settings = findSettings(db)
  const chosen =
    ((request.signIn.sessionId || request.signIn.apiToken) && request.actor.language) ||
    preferredLanguage(request.headers['accept-language'])
  request.language = chosen || settings.language || config.language
  request.t = translator(request.language, settings)
}
