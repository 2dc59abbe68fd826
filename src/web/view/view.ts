import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fastifyView from '@fastify/view'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import nunjucks from 'nunjucks'
import { allows, type Rule } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { takeFlash } from '../flash.ts'
import { type MenuItem, type TopbarPart, url, type Widget, wantsFragment } from '../http.ts'
import { languages, preferredLanguage, translator } from '../i18n/translate.ts'
import { assetPath, editorPath } from './assets.ts'
import { showDate, showDay, showMany, showMoment, showMoney } from './format.ts'
import { icon, iconNames } from './icons.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Answers with a template: the complete page, or only its `region` block when htmx asks for the fragment.
     * Templates get the data, and what `pageContext` adds.
     */
    page(template: string, data?: Record<string, unknown>): FastifyReply
    /** The same, with more of what a template draws where the page says `{{ later }}`: drawn part by part while others are served. */
    longPage(template: string, data: Record<string, unknown>, later: Later): Promise<FastifyReply>
  }
}

/** What comes later on a long page: a template and, one after the other, what it draws. */
interface Later {
  template: string
  parts: Iterable<Record<string, unknown>>
}

const templates = fileURLToPath(new URL('../../../templates', import.meta.url))

export const viewPlugin = fp(async (app: FastifyInstance) => {
  app
    .decorate('menu', [] as MenuItem[])
    .decorate('widgets', [] as Widget[])
    .decorate('topbar', [] as TopbarPart[])
  app.decorateRequest('t', translator('en'))
  app.decorateRequest('language', 'en')
  app.decorateRequest('trouble', null)
  app.addHook('onRequest', async (request) => chooseLanguage(request))
  await app.register(fastifyView, {
    engine: { nunjucks },
    templates,
    options: {
      autoescape: true,
      noCache: false,
      throwOnUndefined: false,
      onConfigure: (env: nunjucks.Environment) => addGlobals(env, app),
    },
  })
  app.decorateReply('page', function (template, data = {}) {
    return sayWhatPagesAre(this).view(template, { ...pageContext(this.request), ...data })
  })
  app.decorateReply('longPage', async function (template, data, { template: part, parts }) {
    const context = { ...pageContext(this.request), ...data }
    const gap = `<!-- ${crypto.randomUUID()} -->`
    const [head = '', tail = ''] = (await app.view(template, { ...context, later: new nunjucks.runtime.SafeString(gap) })).split(gap)
    const draw = (more: Record<string, unknown>) => app.view(part, { ...context, ...more })
    return sayWhatPagesAre(this)
      .type('text/html; charset=utf-8')
      .send(Readable.from(inTurn(head, parts, draw, tail), { objectMode: false }))
  })
})

function sayWhatPagesAre(reply: FastifyReply): FastifyReply {
  reply.header('Vary', 'HX-Request, HX-Request-Type')
  return reply.hasHeader('Cache-Control') ? reply : reply.header('Cache-Control', 'no-store')
}

async function* inTurn(head: string, parts: Later['parts'], draw: (part: Record<string, unknown>) => Promise<string>, tail: string) {
  yield head
  for (const part of parts) {
    await nextTurn()
    yield await draw(part)
  }
  yield tail
}

/** What every page knows: the person, what they may open, how to speak to them. */
function pageContext(request: FastifyRequest): Record<string, unknown> {
  const { server: app, actor, language } = request
  const fragment = wantsFragment(request)
  return {
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
    trouble: request.trouble?.message,
    topbar: fragment || !request.sessionId ? [] : app.topbar.map(({ template, load }) => ({ template, ...load(request) })),
    flash: fragment ? undefined : takeFlash(request),
    may: <R>(rule: Rule<R>, ...record: [R?]) => allows(rule, actor, ...record),
  }
}

/** What this person may open, with the present place marked. */
function menuOf(request: FastifyRequest) {
  const path = (request.url.split('?')[0] as string).slice(request.server.config.baseUrl.length)
  return request.server.menu
    .filter(({ rule }) => !rule || allows(rule, request.actor))
    .map((item) => ({
      ...item,
      waiting: item.waiting?.(request.actor),
      current: path === item.path || [item.path, item.card].some((start) => start && path.startsWith(`${start}/`)),
    }))
}

function addGlobals(env: nunjucks.Environment, app: FastifyInstance): void {
  const sprite = url(app, assetPath('icons.svg'))
  env.addGlobal('url', (path: string) => url(app, path))
  env.addGlobal('asset', (name: string) => url(app, assetPath(name)))
  env.addGlobal('editor', (part: string) => url(app, editorPath(part)))
  const icons = new Map(iconNames.map((name) => [name, new nunjucks.runtime.SafeString(icon(sprite, name))]))
  env.addGlobal('icon', (name: string) => icons.get(name) ?? icon(sprite, name))
  env.addGlobal('languages', languages)
  env.addFilter('date', showDate)
  env.addFilter('moment', showMoment)
  env.addFilter('money', showMoney)
  env.addFilter('many', showMany)
  env.addFilter('day', showDay)
  env.addFilter('fullName', fullName)
}

/** The person's own choice, else the browser's, else the setting. */
function chooseLanguage(request: FastifyRequest): void {
  const preferred = preferredLanguage(request.headers['accept-language'], request.server.config.language)
  request.language = (request.sessionId && request.actor.language) || preferred
  request.t = translator(request.language)
}
