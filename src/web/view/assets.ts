import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { notFound } from '../http.ts'
import { sprite } from './icons.ts'
import { stylesheet } from './stylesheet.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Everything a page may load, by the name it has in addresses; libraries come straight from their packages. */
const sources: Record<string, string> = {
  'avatar.js': 'static/avatar.js',
  'bell.js': 'static/bell.js',
  'cabinet.js': 'static/cabinet.js',
  'cropper.js': 'node_modules/cropperjs/dist/cropper.min.js',
  'early.js': 'static/early.js',
  'editor-ru.js': 'static/editor-ru.js',
  'fields.js': 'static/fields.js',
  'favicon.svg': 'static/favicon.svg',
  'htmx.js': 'node_modules/htmx.org/dist/htmx.min.js',
  'htmx-sse.js': 'node_modules/htmx.org/dist/ext/hx-sse.min.js',
  'imask.js': 'node_modules/imask/dist/imask.min.js',
  'orders.js': 'static/orders.js',
  'pictures.js': 'static/pictures.js',
  'rich-text.js': 'static/rich-text.js',
  'sortable.js': 'node_modules/sortablejs/Sortable.min.js',
  'tom-select.css': 'node_modules/tom-select/dist/css/tom-select.bootstrap5.min.css',
  'tom-select.js': 'node_modules/tom-select/dist/js/tom-select.complete.min.js',
}

const styles = await stylesheet(root)
const files = new Map(Object.entries(sources).map(([name, path]) => [name, join(root, path)]))
const hashes = new Map([...files].map(([name, file]) => [name, hash(readFileSync(file))]))
hashes.set('icons.svg', hash(sprite)).set('cabinet.css', hash(styles))

/** Where the build leaves an asset compressed as well as it can be; its name changes with the content. */
export const compressedAssets = [...hashes].map(([name, version]) => ({ name, path: join(root, 'dist/assets', `${version}-${name}.br`) }))

const compressed = new Map(compressedAssets.filter(({ path }) => existsSync(path)).map(({ name, path }) => [name, readFileSync(path)]))

/** What an asset holds, as it is. */
export function assetContent(name: string): string | Buffer {
  if (name === 'icons.svg') return sprite
  return name === 'cabinet.css' ? styles : readFileSync(files.get(name) as string)
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The path of an asset; it changes with the content, so browsers may keep what they have for ever. */
export function assetPath(name: string): string {
  const version = hashes.get(name)
  if (!version) throw new Error(`no such asset: ${name}`)
  return `/assets/${version}/${name}`
}

// The editor loads its parts by their paths, so its whole folder lies under one address.
const editorFolder = join(root, 'node_modules/hugerte')
const editorVersion = hash(readFileSync(join(editorFolder, 'hugerte.min.js')))

/** The path of a part of the rich text editor; it changes with the version. */
export function editorPath(part: string): string {
  return `/assets/hugerte/${editorVersion}/${part}`
}

export const assetPlugin = fp(async (app: FastifyInstance) => {
  await app.register(fastifyStatic, { root, serve: false, cacheControl: false })
  app.get('/assets/:version/:name', { access: 'public', answers: 'file' }, (request, reply) => {
    const { version, name } = request.params as { version: string; name: string }
    if (hashes.get(name) !== version) throw notFound()
    reply.header('Cache-Control', 'public, max-age=31536000, immutable')
    const small = compressed.get(name)
    if (small && takesBrotli(request))
      return reply
        .headers({ 'Content-Encoding': 'br', Vary: 'Accept-Encoding' })
        .type(types[extname(name)] as string)
        .send(small)
    if (name === 'icons.svg') return reply.type('image/svg+xml').send(sprite)
    if (name === 'cabinet.css') return reply.type('text/css').send(styles)
    const file = files.get(name) as string
    return reply.sendFile(basename(file), dirname(file))
  })
  app.get('/assets/hugerte/:version/*', { access: 'public', answers: 'file' }, (request, reply) => {
    const { version, '*': part } = request.params as { version: string; '*': string }
    if (version !== editorVersion || !/^[\w/-]+(?:\.[\w-]+)*\.(?:js|css)$/.test(part)) throw notFound()
    reply.header('Cache-Control', 'public, max-age=31536000, immutable')
    return reply.sendFile(part, editorFolder)
  })
})

function takesBrotli({ headers }: FastifyRequest): boolean {
  return /\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding']?.toString() ?? '')
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10)
}
