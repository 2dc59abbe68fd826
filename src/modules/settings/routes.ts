import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readableAccent } from '../../core/accent.ts'
import { allows } from '../../core/access.ts'
import { findSettings, type Settings } from '../../database/settings.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { notFound } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { findPicture, pictureSizes, storedPath } from '../../http/uploads/folder.ts'
import { cardAction } from '../../records/card/save.ts'
import { editPage } from '../../records/card/show.ts'
import { webhookRoutes } from '../notifications/webhooks/routes.ts'
import { webhooksTab } from '../notifications/webhooks/tab.ts'
import { mayChangeSettings, mayClosePeriods, settingsCard, settingsPlaces } from './card.ts'
import { addFirstSteps } from './first-steps.ts'

export async function settingsRoutes(app: FastifyInstance): Promise<void> {
  app.records.set('settings', { title: 'Settings', card: settingsCard })
  const access = mayChangeSettings
  app.registry.menu.push({
    path: '/settings',
    label: 'Settings',
    icon: 'settings',
    letter: 'e',
    section: 'System',
    says: ['options, parameters'],
    rule: access,
    may: { list: access },
  })
  app.registry.commands.push(...settingsPlaces)
  app.get('/settings', onRecord({ access, record: findSettings }, show))
  const change = { access: mayClosePeriods, record: findSettings }
  app.get('/settings/closing', onRecord(change, show))
  app.post('/settings', action({ ...change, gallery: /^logo(_dark)?$/ }, saveSettings))
  webhookRoutes(app, (request, reply, more) =>
    editPage(request, reply, settingsCard, findSettings(app.db), { more, tab: webhooksTab.name }),
  )
  app.get('/logo/:theme', { access: 'public', answers: 'file' }, sendLogo)
  addFirstSteps(app)
  app.get('/accent.css', { access: 'public', answers: 'file' }, sendAccent)
}

function show(request: FastifyRequest, reply: FastifyReply, settings: Settings) {
  return editPage(request, reply, settingsCard, settings)
}

const saved = cardAction(settingsCard, 'edit')

/** Who only closes periods comes from the ledger, and cannot open the settings. */
const saveSettings: typeof saved = {
  ...saved,
  perform(request, record, prepared, sent) {
    const done = saved.perform(request, record, prepared, sent)
    return allows(mayChangeSettings, request.actor) ? done : { ...done, location: url(request.server, '/ledger') }
  },
}

/** The content policy forbids styles in pages, so the color comes as a file of its own; its address names the version. */
function sendAccent({ server }: FastifyRequest, reply: FastifyReply) {
  const { accent } = findSettings(server.db)
  const color = accent && readableAccent(accent)
  reply.type('text/css; charset=utf-8').header('Cache-Control', 'public, max-age=31536000, immutable')
  return reply.send(color ? `:root{--primary:light-dark(${color.light},${color.dark})}` : '')
}

async function sendLogo(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { server } = request
  const { logo, logo_dark } = findSettings(server.db)
  const keys = new Map([
    ['light', logo ?? logo_dark],
    ['dark', logo_dark ?? logo],
  ])
  const key = keys.get(paramOf(request, 'theme'))
  if (!key) throw notFound()
  const { dataDir } = server.config
  // Backups leave out small copies.
  const file = await readFile(findPicture(dataDir, 'gallery', key, String(pictureSizes.gallery[1])) ?? storedPath(dataDir, key))
  return reply.type('image/webp').header('Cache-Control', 'public, max-age=31536000, immutable').send(file)
}
