import type { FastifyInstance } from 'fastify'
import { findSettings } from '../../database/index.ts'
import { storedPath } from './folder.ts'

/** The logo of the installation for light paper; nothing where it has none. */
export function logoFile({ db, config }: Pick<FastifyInstance, 'db' | 'config'>): string | undefined {
  const { logo, logo_dark } = findSettings(db)
  const key = logo ?? logo_dark
  return key ? storedPath(config.dataDir, key) : undefined
}
