import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { allows, type Rule } from '../../core/access.ts'
import { type Language, preferredLanguage, translator } from '../../i18n/translate.ts'
import { takeFlash } from '../flash.ts'
import { type MenuItem, type TopbarPart, type Widget, wantsFragment } from '../http.ts'
import type { Page } from './page.ts'
import { markup, registerTemplates, viewNames } from './templates.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A template in a language, outside of an answer. */
    render<Data extends object>(language: Language, page: Page<Data>, data: NoInfer<Data>): Promise<string>
  }
  interface FastifyReply {
    /**
     * Answers with a page: the complete one, or only its `region` block when htmx asks for the fragment.
     * Templates get the data, and what `pageContext` adds.
     */
    page<Data extends object>(page: Page<Data>, data: NoInfer<Data>): FastifyReply
    /** The same, with more of what a template draws where the page says `{{ later }}`: drawn part by part while others are served. */
    longPage<Data extends object>(page: Page<Data>, data: NoInfer<Data>, later: RemainingParts): FastifyReply
  }
}

/** What comes later on a long page: a template and, one after the other, what it draws. */
interface RemainingParts {
  template: string
  parts: Iterable<object>
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
  await registerTemplates(app)
  app.decorate('render', (language, { template }, data) => app[viewNames[language]](template, data))
  app.decorateReply('page', function ({ template }, data) {
    const { language } = this.request
    return setPageHeaders(this)[viewNames[language]](template, { ...pageContext(this.request), ...data })
  })
  app.decorateReply('longPage', function (page, data, { template, parts }) {
    const { language } = this.request
    const context = { ...pageContext(this.request), ...data }
    const render = (page: Page<object>, more: object) => app.render(language, page, { ...context, ...more })
    return setPageHeaders(this).send(Readable.from(renderInTurn(render, page, { template }, parts), { objectMode: false }))
  })
})

function setPageHeaders(reply: FastifyReply): FastifyReply {
  reply.type('text/html; charset=utf-8').header('Vary', 'HX-Request, HX-Request-Type')
  return reply.hasHeader('Cache-Control') ? reply : reply.header('Cache-Control', 'no-store')
}

/** The page around its rows first, so that the browser shows what is there. */
async function* renderInTurn(
  render: (page: Page<object>, more: object) => Promise<string>,
  page: Page<object>,
  part: Page<object>,
  parts: RemainingParts['parts'],
) {
  const placeholder = `<!-- ${crypto.randomUUID()} -->`
  const [head = '', tail = ''] = (await render(page, { later: markup(placeholder) })).split(placeholder)
  yield head
  for (const data of parts) {
    await nextTurn()
    yield render(part, data)
  }
  yield tail
}

/** What every page knows: the person, what they may open, how to speak to them. */
function pageContext(request: FastifyRequest) {
  const { server: app, actor } = request
  const fragment = wantsFragment(request)
  const topbar = fragment || !request.sessionId ? [] : app.topbar
  const context = {
    layout: fragment ? 'layouts/fragment.njk' : 'layouts/page.njk',
    actor,
    address: request.url,
    impersonating: request.impersonating,
    sample: app.sample,
    // A public page answers before the policy hook has let anybody in.
    person: request.sessionId && actor,
    menu: fragment || !request.sessionId ? [] : menuOf(request),
    storageError: request.storageError?.message,
    topbar,
    /** Stands for the rows that follow, see `longPage`. */
    later: undefined,
    flash: fragment ? undefined : takeFlash(request),
    may: <R>(rule: Rule<R>, ...record: [R?]) => allows(rule, actor, ...record),
  }
  return Object.assign(context, ...topbar.map(({ load }) => load(request))) as typeof context
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
