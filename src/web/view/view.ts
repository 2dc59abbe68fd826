import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { allows, type Rule } from '../../core/access.ts'
import { preferredLanguage, translator } from '../../i18n/translate.ts'
import { takeFlash } from '../flash.ts'
import { type MenuItem, type TopbarPart, type Widget, wantsFragment } from '../http.ts'
import { bytesOf } from './bytes.ts'
import { createRenderer, markup, type Renderer } from './templates.ts'

declare module 'fastify' {
  interface FastifyInstance {
    render: Renderer
  }
  interface FastifyReply {
    /**
     * Answers with a template: the complete page, or only its `region` block when htmx asks for the fragment.
     * Templates get the data, and what `pageContext` adds.
     */
    page(template: string, data?: Record<string, unknown>): FastifyReply
    /** The same, with more of what a template draws where the page says `{{ later }}`: drawn part by part while others are served. */
    longPage(template: string, data: Record<string, unknown>, later: RemainingParts): FastifyReply
  }
}

/** What comes later on a long page: a template and, one after the other, what it draws. */
interface RemainingParts {
  template: string
  parts: Iterable<Record<string, unknown>>
}

export const viewPlugin = fp(async (app: FastifyInstance) => {
  app
    .decorate('menu', [] as MenuItem[])
    .decorate('widgets', [] as Widget[])
    .decorate('topbar', [] as TopbarPart[])
  app.decorateRequest('t', translator('en'))
  app.decorateRequest('language', 'en')
  app.decorateRequest('storageError', null)
  app.addHook('onRequest', (request, _reply, done) => {
    chooseLanguage(request)
    done()
  })
  app.decorate('render', createRenderer(app))
  app.decorateReply('page', function (template, data = {}) {
    const { language } = this.request
    return setPageHeaders(this).send(bytesOf(app.render(language, template, Object.assign(pageContext(this.request), data))))
  })
  app.decorateReply('longPage', function (template, data, { template: part, parts }) {
    const { language } = this.request
    const context = Object.assign(pageContext(this.request), data)
    const placeholder = `<!-- ${crypto.randomUUID()} -->`
    const [head = '', tail = ''] = app.render(language, template, { ...context, later: markup(placeholder) }).split(placeholder)
    const renderPart = (more: Record<string, unknown>) => app.render(language, part, { ...context, ...more })
    return setPageHeaders(this).send(Readable.from(renderInTurn(head, parts, renderPart, tail), { objectMode: false }))
  })
})

function setPageHeaders(reply: FastifyReply): FastifyReply {
  reply.type('text/html; charset=utf-8').header('Vary', 'HX-Request, HX-Request-Type')
  return reply.hasHeader('Cache-Control') ? reply : reply.header('Cache-Control', 'no-store')
}

async function* renderInTurn(
  head: string,
  parts: RemainingParts['parts'],
  renderPart: (part: Record<string, unknown>) => string,
  tail: string,
) {
  yield head
  for (const part of parts) {
    await nextTurn()
    yield renderPart(part)
  }
  yield tail
}

/** What every page knows: the person, what they may open, how to speak to them. */
function pageContext(request: FastifyRequest): Record<string, unknown> {
  const { server: app, actor, language } = request
  const fragment = wantsFragment(request)
  const topbar = fragment || !request.sessionId ? [] : app.topbar
  const context = {
    layout: fragment ? 'layouts/fragment.njk' : 'layouts/page.njk',
    t: request.t,
    language,
    actor,
    address: request.url,
    impersonating: request.impersonating,
    sample: app.sample,
    // A public page answers before the policy hook has let anybody in.
    person: request.sessionId && actor,
    menu: fragment || !request.sessionId ? [] : menuOf(request),
    storageError: request.storageError?.message,
    topbar,
    flash: fragment ? undefined : takeFlash(request),
    may: <R>(rule: Rule<R>, ...record: [R?]) => allows(rule, actor, ...record),
  }
  return Object.assign(context, ...topbar.map(({ load }) => load(request)))
}

/** What this person may open, with the present place marked. */
function menuOf(request: FastifyRequest) {
  const path = (request.url.split('?')[0] as string).slice(request.server.config.baseUrl.length)
  return request.server.menu
    .filter(({ rule }) => !rule || allows(rule, request.actor))
    .map((item) => ({
      path: item.path,
      label: item.label,
      icon: item.icon,
      waiting: item.waiting?.(request.actor),
      current: path === item.path || [item.path, item.card].some((start) => start && path.startsWith(`${start}/`)),
    }))
}

/** The person's own choice, else the browser's, else the setting. */
function chooseLanguage(request: FastifyRequest): void {
  const preferred = preferredLanguage(request.headers['accept-language'], request.server.config.language)
  request.language = (request.sessionId && request.actor.language) || preferred
  request.t = translator(request.language)
}
