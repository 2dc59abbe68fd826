import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { companies, orders, users } from '../../src/database/schema/index.ts'
import type { Test } from './browser.ts'
import { type Answer, type Cabinet, type Fields, htmx, startCabinet } from './cabinet.ts'
import type { Name } from './cast.ts'
import { outlineOf, type Part, withoutNumbers } from './outline.ts'
import { linesOf, printDifference, printParts } from './outline-lines.ts'

/** What stands on a page within its frame. */
export const content = '#main > :not(#messages)'

const folder = fileURLToPath(new URL('../outlines', import.meta.url))
const isWriting = process.env.OUTLINES === 'write'

/** Lines that stood in an outline before, and for each address what its first page told. */
const stood = new Set<string>()
const firstOf = new Map<string, string[]>()

/** What has not stood before, in the elements it is in; `…3·c0d` is the number of lines that have, and are in the same element, and a sum over them. */
function tell(parts: Part[]): string[] {
  const [fresh, known] = freshOf(parts)
  for (const line of linesOf(parts)) stood.add(withoutNumbers(line.trim()))
  return [...countOf(known), ...printParts(fresh)]
}

function freshOf(parts: Part[]): [Part[], string[]] {
  const known: string[] = []
  const fresh = parts.flatMap(({ line, said, within }) => {
    const [inner, others] = freshOf(within)
    const isKnown = stood.has(withoutNumbers(line))
    if (isKnown && inner.length === 0) {
      known.push(withoutNumbers(line), ...others)
      return []
    }
    const shown = isKnown && line.length > 60 ? `${line.slice(0, 60)}…` : line
    return [{ line: [shown, ...countOf(others)].join(' '), said, within: inner }]
  })
  return [fresh, known]
}

const countOf = (known: string[]) =>
  known.length > 0 ? [`…${known.length}·${createHash('sha1').update(known.join('\n')).digest('hex').slice(0, 3)}`] : []

const isLike = (first: string[], lines: string[]) => lines.filter((line) => first.includes(line)).length * 2 > lines.length

/**
 * Compares what pages tell with `test/outlines/<subject>.txt`, section by section. What stood in a subject before it is not told again, so that subjects
 * that are looked at in one process belong together.
 * `OUTLINES=write npm test -- test/outlines` writes these files anew: their differences show what a change does to pages.
 */
export function recordedOutlines(subject: string) {
  const file = join(folder, `${subject}.txt`)
  const recorded = existsSync(file) && !isWriting ? readSections(readFileSync(file, 'utf8')) : new Map<string, string[]>()
  const met = new Map<string, string[]>()
  return { compare, shows, end }

  function compare(t: Pick<Test, 'same'>, title: string, lines: string[]): void {
    if (met.has(title)) throw new Error(`two parts are called ${title}`)
    met.set(title, lines)
    if (isWriting) write()
    else t.same(lines, recorded.get(title) ?? [], title)
  }

  /**
   * @param part a selector of what is looked at
   * @param page what the page has in common with the same one as others see it: the first is told whole, the others by how they differ
   */
  function shows(t: Pick<Test, 'same'>, title: string, html: string, part: string, page = `${subject}: ${title}`): void {
    const parts = outlineOf(html, part)
    const [first, lines] = [firstOf.get(page), linesOf(parts)]
    if (!first) firstOf.set(page, lines)
    compare(t, title, first && isLike(first, lines) ? printDifference(first, lines) : tell(parts))
  }

  /** Fails if the file tells of more. */
  function end(t: Pick<Test, 'same'>): void {
    if (!isWriting) t.same([...met.keys()], [...recorded.keys()], `what ${subject}.txt tells of`)
  }

  function write(): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, printSections(met))
  }
}

/** The number of lines that stood before stands beside the title. */
const printSections = (outlines: Map<string, string[]>) =>
  [...outlines]
    .map(([title, lines]) => `## ${[title, ...lines].join('\n')}\n`)
    .join('')
    .replace(/^(## .*)\n(?=…\d+·\w+$)/gm, '$1 ')

function readSections(text: string): Map<string, string[]> {
  const sections = text
    .replace(/^(## .*) (?=…\d+·\w+$)/gm, '$1\n')
    .split(/^## /m)
    .slice(1)
  return new Map(
    sections.map((section) => {
      const [title = '', ...lines] = section.trimEnd().split('\n')
      return [title, lines]
    }),
  )
}

/** A cabinet that was filled just now, so that its days are told alike on every day. */
export async function startFilledNow(test: Parameters<typeof startCabinet>[0]): Promise<Cabinet> {
  const cabinet = await startCabinet(test)
  const now = { created_at: Date.now(), updated_at: Date.now() }
  for (const table of [users, companies]) cabinet.db.update(table).set(now).run()
  cabinet.db
    .update(orders)
    .set({ ...now, status_since: Date.now() })
    .run()
  return cabinet
}

/** Part of a page as somebody gets it: who asks or sends, where, and what is looked at, which is usually all but the frame. */
export interface Look {
  as?: Name
  get?: string
  post?: string
  fields?: Fields
  asFragment?: boolean
  part?: string
}

/** @param plant what is done before anybody looks */
export function testOutlines(subject: string, looks: Look[], plant: (cabinet: Cabinet) => unknown = () => {}) {
  return t.test(`pages of ${subject} are as test/outlines/${subject}.txt tells`, async (t) => {
    const cabinet = await startCabinet(t)
    await plant(cabinet)
    const { shows, end } = recordedOutlines(subject)
    for (const look of looks) {
      const { asFragment, part = asFragment ? ':root' : content } = look
      const { statusCode, body } = await answerTo(cabinet, look)
      const page = `${subject}: ${look.get ?? titleOf(look)} ${part}`
      shows(t, statusCode === 200 ? titleOf(look) : `${titleOf(look)}: ${statusCode}`, body, part, page)
    }
    end(t)
  })
}

function titleOf({ as, get, post, fields, asFragment, part }: Look): string {
  const asked = get === undefined ? ['POST', post, JSON.stringify(fields)] : ['GET', get]
  return [as ?? 'nobody', ...asked, asFragment && 'as a fragment', part].filter(Boolean).join(' ')
}

async function answerTo({ as, newBrowser }: Cabinet, { as: name, get, post, fields, asFragment }: Look): Promise<Answer> {
  const browser = name ? await as(name) : newBrowser()
  const headers = asFragment ? htmx : {}
  return get === undefined ? browser.post(String(post), fields, headers) : browser.get(get, headers)
}
