import { eq } from 'drizzle-orm'
import { news } from '../../src/database/schema/index.ts'
import type { Cabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { content, testOutlines } from '../support/outlines.ts'

const later = { published: 0, publishedon: '2050-01-01T12:00' }

/** Articles of these names; the third is to be published later. */
const write =
  (...names: string[]) =>
  async ({ as, db }: Cabinet) => {
    const root = await as('root')
    for (const [at, name] of names.entries())
      await root.post('/news/add', { name: `${name} <b>`, description: `<p>Text of ${name}</p>`, published: 1, ...(at === 2 && later) })
    const images = ['a'.repeat(64), 'b'.repeat(64)]
    db.update(news).set({ images }).where(eq(news.id, 2)).run()
  }

testOutlines(
  'news',
  [
    { as: 'root', get: '/news' },
    { as: 'root', get: '/news/add', part: `title, ${content}` },
    { as: 'root', post: '/news/add', fields: { name: '', images: '' }, part: '.error-summary, .field:has(#name)' },
    { as: 'root', get: '/news/edit/2', part: 'script, .page-header, .record-form > :not(dialog)' },
    { as: 'root', get: '/news/edit/3?tab=preview' },
    { as: 'clerk', get: '/news', part: 'tr' },
    { as: 'root', post: '/news/3/published', fields: { value: 1 }, asFragment: true },
    { as: 'denis', get: '/news', part: `title, ${content}` },
    { as: 'denis', get: '/news?page=2' },
    { as: 'denis', get: '/?news=2', part: '#news-widget' },
  ],
  async (cabinet) => {
    revoke(cabinet.db, cabinet.cast.clerk, 'news_can_edit', 'news_can_delete')
    grant(cabinet.db, cabinet.cast.clerk, 'activity_can_view')
    await write(...'One Two Three Four Five Six Seven Eight Nine Ten'.split(' '))(cabinet)
  },
)

testOutlines(
  'news-articles',
  [
    { as: 'denis', get: '/', part: '#news-widget' },
    { as: 'denis', get: '/news/edit/2?back=%3Fpage%3D2', part: `title, ${content}` },
    { as: 'maria', get: '/news/edit/3', part: 'title, .news-article' },
  ],
  write('One', 'Two', 'Three', 'Four'),
)

testOutlines('news-none', [
  { as: 'root', get: '/news' },
  { as: 'denis', get: '/news' },
  { as: 'denis', get: '/', part: '#news-widget' },
])
