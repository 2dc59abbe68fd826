import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type Registry } from 'fastify'
import type { Config } from './config.ts'
import { rulesBySetting } from './core/specification-rules.ts'
import type { Database } from './database/open.ts'
import { headerPlugin } from './http/access/headers.ts'
import { policyPlugin } from './http/access/policy-hook.ts'
import { sessionPlugin } from './http/access/session.ts'
import { errorPlugin } from './http/error-handler.ts'
import { healthPlugin } from './http/health.ts'
import { type LogStream, logOptions } from './http/log.ts'
import { escapeMalformedUrl } from './http/request/rewrite-url.ts'
import { searchRefreshPlugin } from './http/search-refresh.ts'
import { mailPlugin } from './http/send-mail.ts'
import { apiRoutes } from './modules/api/routes.ts'
import { balanceRoutes } from './modules/balances/routes.ts'
import { fileRoutes } from './modules/files/routes.ts'
import { findRoutes } from './modules/find/routes.ts'
import { homeRoutes } from './modules/home/routes.ts'
import { jobRoutes } from './modules/jobs/routes.ts'
import { ledgerRoutes } from './modules/ledger/routes.ts'
import { newsRoutes } from './modules/news/routes.ts'
import { notificationEventsPlugin } from './modules/notifications/queue.ts'
import { notificationRoutes } from './modules/notifications/routes.ts'
import { webhookPlugin } from './modules/notifications/webhooks/worker.ts'
import { deliveryPlugin } from './modules/notifications/worker.ts'
import { offlineRoutes } from './modules/offline/routes.ts'
import { orderRoutes } from './modules/orders/routes.ts'
import { reassignOrders } from './modules/orders/transitions/apply-plan.ts'
import { companyOverviewRoutes } from './modules/overviews/company.ts'
import { dealerOverviewRoutes, staffOverviewRoutes } from './modules/overviews/person.ts'
import { productOverviewRoutes } from './modules/overviews/product.ts'
import { paymentRoutes } from './modules/payments/routes.ts'
import { profileRoutes } from './modules/profile/routes.ts'
import { recordViewsPlugin } from './modules/record-views/keep-views.ts'
import { recordViewRoutes } from './modules/record-views/routes.ts'
import { referenceRoutes } from './modules/references/routes.ts'
import { viewRoutes } from './modules/saved-views/routes.ts'
import { viewsOfLists } from './modules/saved-views/saved-view.ts'
import { securityLogRoutes } from './modules/security-log/routes.ts'
import { sessionRoutes } from './modules/session/routes.ts'
import { secondFactorResetRoutes } from './modules/session/second-factor/reset.ts'
import { setupRoutes } from './modules/session/setup.ts'
import { settingsRoutes } from './modules/settings/routes.ts'
import { statusRoutes } from './modules/workflow/statuses/routes.ts'
import { bodyPlugin } from './records/form/body.ts'
import { historyRoutes } from './records/history/routes.ts'
import { housekeepingPlugin } from './records/housekeeping.ts'
import { importRoutes } from './records/import/routes.ts'
import { hourlyJobsPlugin } from './records/jobs/hourly.ts'
import { jobsPlugin } from './records/jobs/worker.ts'
import { exportsPlugin } from './records/spreadsheet/export-job.ts'
import { trashRoutes } from './records/trash/routes.ts'
import { assetPlugin } from './view/assets.ts'
import { viewPlugin } from './view/view.ts'

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

/** What routes take is told by forms and their fields, never by a schema: the compilers of those, a twentieth of the program, are not loaded. */
const schemaController = { compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing } }

function compileNothing(): never {
  throw new Error('A route declares a schema.')
}

export async function buildApp({ config, db, sample = false, setupToken, log }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    ...logOptions(log),
    trustProxy: config.trustProxy && ((_, hop) => hop === 0),
    bodyLimit: 1024 * 1024,
    schemaController,
    ...timeouts,
    forceCloseConnections: 'idle',
    rewriteUrl: escapeMalformedUrl,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4000 },
  })
  // A waiting write blocks every request, and other processes normally write for moments only.
  db.$client.pragma('busy_timeout = 1000')
  app.decorate('config', config).decorate('db', db).decorate('rules', rulesBySetting[config.rules]).decorate('sample', sample)
  app
    .decorate('records', new Map())
    .decorate('registry', emptyRegistry())
    .decorate('timeouts', { form: 60_000, export: 5_000, webhook: 10_000 })

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
  await app.register(jobsPlugin)
  await app.register(deliveryPlugin)
  await app.register(webhookPlugin)
  await app.register(hourlyJobsPlugin)
  await app.register(housekeepingPlugin)
  await app.register(exportsPlugin)
  await app.register(searchRefreshPlugin)
  await app.register(recordViewsPlugin)
  await app.register(registerModules, { prefix: config.baseUrl, setupToken })
  return app
}

/** What modules add to, beside their kinds of record, for whoever does the same with all of it. */
function emptyRegistry(): Registry {
  return {
    ...{ menu: [], topbar: [], commands: [], widgets: [], followUps: [], savedViews: viewsOfLists, suggestionProviders: [] },
    ...{ bulkActions: [], bulkForms: new Map(), jobKinds: new Map() },
    ...{ subordinates: [], tellers: [], filesBesideCards: [], filesOfSteps: [], userTypes: new Map() },
  }
}

/** Menu, search and dashboard name them in this order; nothing else depends on it. */
export const modules: FastifyPluginAsync[] = [
  homeRoutes,
  findRoutes,
  newsRoutes,
  sessionRoutes,
  orderRoutes,
  dealerOverviewRoutes,
  companyOverviewRoutes,
  paymentRoutes,
  ledgerRoutes,
  balanceRoutes,
  productOverviewRoutes,
  staffOverviewRoutes,
  profileRoutes,
  viewRoutes,
  referenceRoutes,
  settingsRoutes,
  statusRoutes(reassignOrders),
  fileRoutes,
  offlineRoutes,
  historyRoutes,
  securityLogRoutes,
  recordViewRoutes,
  notificationRoutes,
  jobRoutes,
]

/** Made of what all modules declare: their groups of users, lists, cards and deletions. */
const collectingModules: FastifyPluginAsync[] = [secondFactorResetRoutes, importRoutes, trashRoutes, apiRoutes]

async function registerModules(app: FastifyInstance, { setupToken }: { setupToken?: string }): Promise<void> {
  await app.register(assetPlugin)
  await app.register(healthPlugin)
  if (setupToken) await app.register(setupRoutes, { setupToken })
  for (const routes of [...modules, ...collectingModules]) await app.register(routes)
}

/** A window of 256 KB holds any page, and takes less time to set up than the usual one of 4 MB. */
const brotliForPages = { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 }
