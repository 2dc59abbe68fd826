import { eq } from 'drizzle-orm'
import { news } from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { type OpenCabinet, type Page, waitUntil } from './browser.ts'

const author = { id: null, name: 'The test' }

/** A folder for pictures of the pages. */
export const shots = process.env.SHOTS

export function add({ db }: OpenCabinet, description: string, values: Partial<typeof news.$inferInsert> = {}): number {
  const id = createNews(db, { name: 'A message', description, published: true }, author)
  if (Object.keys(values).length > 0) db.update(news).set(values).where(eq(news.id, id)).run()
  return id
}

export const stored = ({ db }: OpenCabinet, id: number) => db.select().from(news).where(eq(news.id, id)).get()

/** What the editor makes. */
export const rich = `<h2>Prices from 1 September</h2>
<p style="text-align: center;">Centred, <strong>bold</strong>, <span style="color: #c00000; background-color: #ffff99;">coloured</span>.</p>
<table style="border-collapse: collapse; width: 100%;" border="1"><thead><tr><th scope="col">Group</th><th scope="col">Change</th></tr></thead>
<tbody><tr><td>Doors</td><td style="text-align: right;">+4 %</td></tr></tbody></table>
<ul><li>one<ul><li>nested</li></ul></li></ul><ol start="3"><li>three</li></ol>
<figure><img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" alt="A red point" width="40" height="40"><figcaption>A picture</figcaption></figure>
<p><a href="https://example.com/x">A link</a></p><blockquote><p>Said</p></blockquote>
<video src="/news/none.mp4" controls width="200"></video>`

export async function editorReady(page: Page): Promise<void> {
  const there = 'window.hugerte?.activeEditor?.initialized && window.hugerte.activeEditor.getContainer().isConnected'
  if (!(await waitUntil(() => page.evaluate<boolean>(`Boolean(${there})`)))) throw new Error('no editor')
}
