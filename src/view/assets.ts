import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { notFound } from '../http/request/errors.ts'
import { paramOf } from '../http/request/input.ts'
import { root } from '../root.ts'
import { fontFiles } from './fonts.ts'
import { scripts } from './scripts.ts'
import { stylesheet } from './stylesheet.ts'
import { assetVersion, writeOnce } from './write-once.ts'

const rootFolder = fileURLToPath(root)

const sources: Record<string, string> = {
  'cropper.js': 'node_modules/cropperjs/dist/cropper.min.js',
  'early.js': 'static/early.js',
  'editor-ru.js': 'static/editor-ru.js',
  'favicon.svg': 'static/favicon.svg',
  'tom-select.css': 'node_modules/tom-select/dist/css/tom-select.bootstrap5.min.css',
  ...fontFiles,
}

const folder = join(rootFolder, 'dist/assets')
const paths = await writeAssets()

export const assetFiles = [...paths.values()].map((path) => join(folder, path))

/** Their paths by name; nothing of what they hold stays in memory. */
async function writeAssets(): Promise<Map<string, string>> {
  const contents: Record<string, string | Buffer> = {
    ...Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, readFileSync(join(rootFolder, path))])),
    ...(await scripts(rootFolder)),
    'cabinet.css': await stylesheet(rootFolder),
  }
  return new Map(Object.entries(contents).map(([name, content]) => [name, writeAsset(name, content)]))
}

function writeAsset(name: string, content: string | Buffer): string {
  const path = `${assetVersion(content)}/${name}`
  writeOnce(join(folder, path), content)
  return path
}

/** The path of an asset; it changes with the content, so browsers may cache it forever. */
export function assetPath(name: string): string {
  const path = paths.get(name)
  if (!path) throw new Error(`no such asset: ${name}`)
  return `/assets/${path}`
}

/** A worker with other text is taken for a new one, which fetches its page again: when what that loads has changed. */
export const serviceWorker = `// ${['cabinet.css', 'early.js', 'cabinet.js'].map(assetPath).join(' ')}\n${readFileSync(join(rootFolder, 'static/service-worker.js'), 'utf8')}`

const editorFolder = join(rootFolder, 'node_modules/hugerte')
const editorVersion = assetVersion(readFileSync(join(editorFolder, 'hugerte.min.js')))

export function editorPath(part: string): string {
  return `/assets/hugerte/${editorVersion}/${part}`
}

export const assetPlugin = fp(async (app: FastifyInstance) => {
  // Uploaded files are sent by the same plugin, and how long those are kept is theirs to say.
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false })
  const forEver = { cacheControl: true, maxAge: '365d', immutable: true }
  app.get('/assets/:version/:name', { access: 'public', answers: 'file' }, (request, reply) => {
    const version = paramOf(request, 'version')
    const name = paramOf(request, 'name')
    if (paths.get(name) !== `${version}/${name}`) throw notFound()
    return reply.sendFile(`${version}/${name}`, forEver)
  })
  app.get('/assets/hugerte/:version/*', { access: 'public', answers: 'file' }, (request, reply) => {
    const version = paramOf(request, 'version')
    const part = paramOf(request, '*')
    if (version !== editorVersion || !/^[\w/-]+(?:\.[\w-]+)*\.(?:js|css)$/.test(part)) throw notFound()
    return reply.sendFile(part, editorFolder, forEver)
  })
})
