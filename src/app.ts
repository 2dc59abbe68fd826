import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { rulesBySetting } from './core/specification-rules.ts'
import type { Database } from './database/open.ts'
import { companyRoutes } from './modules/companies/routes.ts'
import { fileRoutes } from './modules/files/routes.ts'
import { findRoutes } from './modules/find/routes.ts'
import { historyRoutes } from './modules/history/routes.ts'
import { homeRoutes } from './modules/home/routes.ts'
import { importRoutes } from './modules/imports/routes.ts'
import { newsRoutes } from './modules/news/routes.ts'
import { notificationEventsPlugin } from './modules/notifications/queue.ts'
import { notificationRoutes } from './modules/notifications/routes.ts'
import { deliveryPlugin } from './modules/notifications/worker.ts'
import { orderRoutes } from './modules/orders/routes.ts'
import { profileRoutes } from './modules/profile/routes.ts'
import { referenceRoutes } from './modules/references/routes.ts'
import { viewRoutes } from './modules/saved-views/routes.ts'
import { securityLogRoutes } from './modules/security-log/routes.ts'
import { sessionRoutes } from './modules/session/routes.ts'
import { secondFactorResetRoutes } from './modules/session/second-factor/reset.ts'
import { setupRoutes } from './modules/session/setup.ts'
import { settingsRoutes } from './modules/settings/routes.ts'
import { statusRoutes } from './modules/statuses/routes.ts'
import { trashRoutes } from './modules/trash/routes.ts'
import { dealerRoutes } from './modules/users/dealers/routes.ts'
import { staffRoutes } from './modules/users/routes.ts'
import { headerPlugin } from './web/access/headers.ts'
import { policyPlugin } from './web/access/policy-hook.ts'
import { sessionPlugin } from './web/access/session.ts'
import { bodyPlugin } from './web/form/body.ts'
import { errorPlugin } from './web/operations/errors.ts'
import { healthPlugin } from './web/operations/health.ts'
import { housekeepingPlugin } from './web/operations/housekeeping.ts'
import { type LogStream, logOptions } from './web/operations/log.ts'
import { longWritesPlugin } from './web/operations/long-writes.ts'
import { searchRefreshPlugin } from './web/operations/search-refresh.ts'
import { mailPlugin } from './web/operations/send-mail.ts'
import { escapeMalformedUrl } from './web/rewrite-url.ts'
import { backgroundExportsPlugin } from './web/spreadsheet/background-exports.ts'
import { assetPlugin } from './web/view/assets.ts'
import { viewPlugin } from './web/view/view.ts'

interface AppOptions {
  config: Config
  db: Database
  sample?: boolean
  setupToken?: string
  log?: LogStream
}

const timeouts = {
  http: { headersTimeout: 20_000, connectionsCheckingInterval: 1_000 },
  requestTimeout: 600_000,
  connectionTimeout: 60_000,
}

export async function buildApp({ config, db, sample = false, setupToken, log }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    ...logOptions(log),
    trustProxy: config.trustProxy && ((_, hop) => hop === 0),
    bodyLimit: 2 * 1024 * 1024,
    ...timeouts,
    forceCloseConnections: 'idle',
    rewriteUrl: escapeMalformedUrl,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4000 },
  })
  // A waiting write blocks every request, and other processes normally write for moments only.
  db.$client.pragma('busy_timeout = 1000')
  app.decorate('config', config).decorate('db', db).decorate('rules', rulesBySetting[config.rules]).decorate('sample', sample)
  app.decorate('cards', []).decorate('searchSources', []).decorate('deletions', new Map()).decorate('attachmentSources', [])

  await app.register(headerPlugin)
  await app.register(errorPlugin)
  await app.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: brotliForPages },
    globalDecompression: false,
  })
  await app.register(sessionPlugin)
  await app.register(viewPlugin)
  await app.register(policyPlugin)
  await app.register(bodyPlugin)
  await app.register(mailPlugin)
  await app.register(notificationEventsPlugin)
  await app.register(deliveryPlugin)
  await app.register(housekeepingPlugin)
  await app.register(longWritesPlugin)
  await app.register(backgroundExportsPlugin)
  await app.register(searchRefreshPlugin)
  await app.register(registerModules, { prefix: config.baseUrl, setupToken })
  return app
}

async function registerModules(app: FastifyInstance, { setupToken }: { setupToken?: string }): Promise<void> {
  app.decorate('userTypes', new Map())
  await app.register(assetPlugin)
  await app.register(healthPlugin)
  await app.register(homeRoutes)
  await app.register(findRoutes)
  await app.register(newsRoutes)
  await app.register(sessionRoutes)
  if (setupToken) await app.register(setupRoutes, { setupToken })
  await app.register(orderRoutes)
  await app.register(dealerRoutes)
  await app.register(companyRoutes)
  await app.register(staffRoutes)
  await app.register(secondFactorResetRoutes)
  await app.register(profileRoutes)
  await app.register(viewRoutes)
  await app.register(referenceRoutes)
  await app.register(settingsRoutes)
  await app.register(statusRoutes)
  await app.register(fileRoutes)
  await app.register(historyRoutes)
  await app.register(securityLogRoutes)
  await app.register(notificationRoutes)
  await app.register(importRoutes)
  // Registered last: it collects the deletion rules of the other modules.
  await app.register(trashRoutes)
}

const brotliForPages = { [constants.BROTLI_PARAM_QUALITY]: 1 }
