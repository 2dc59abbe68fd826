import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readableAccent } from '../../core/accent.ts'
import { findSettings } from '../../database/settings.ts'
import { save } from '../../web/card/save.ts'
import { showEdit } from '../../web/card/show.ts'
import { mayChangeSettings } from './access.ts'
import { settingsCard } from './card.ts'
import { addFirstSteps } from './first-steps.ts'
import { logoRoutes } from './logo.ts'

export async function settingsRoutes(app: FastifyInstance): Promise<void> {
  app.cards.push(settingsCard)
  app.menu.push({
    path: '/settings',
    label: 'Settings',
    icon: 'settings',
    group: 'System',
    rule: mayChangeSettings,
    may: { list: mayChangeSettings },
  })
  app.get('/settings', { access: mayChangeSettings, record: findSettings }, showEdit(settingsCard))
  app.post('/settings', { access: mayChangeSettings, record: findSettings, gallery: /^logo(_dark)?$/ }, save(settingsCard))
  logoRoutes(app)
  addFirstSteps(app)
  app.get('/accent.css', { access: 'public', answers: 'file' }, sendAccent)
}

/** The content policy forbids styles in pages, so the color comes as a file of its own; its address names the version. */
function sendAccent({ server }: FastifyRequest, reply: FastifyReply) {
  const { accent } = findSettings(server.db)
  const color = accent && readableAccent(accent)
  reply.type('text/css; charset=utf-8').header('Cache-Control', 'public, max-age=31536000, immutable')
  return reply.send(color ? `:root{--primary:light-dark(${color.light},${color.dark})}` : '')
}
