import fc from 'fast-check'
import t from 'tap'
import { publicationAfter, publish, stateOf, unpublished } from '../../src/core/publication.ts'
import { isDue } from '../support/publication.ts'

type Publication = typeof unpublished

const now = 1_800_000_000_000
const moment = fc.oneof(fc.constant(null), fc.integer({ min: now - 1000, max: now + 1000 }))
const publication = fc.record({ published: fc.boolean(), publishedon: moment })
const wish = fc.record({ published: fc.boolean(), publishedon: moment }, { requiredKeys: [] })

t.test('publication follows the state table of the specification', async (t) => {
  const rows: [before: Publication, wanted: Partial<Publication>, after: Publication][] = [
    [unpublished, { published: true }, { published: true, publishedon: now }],
    [unpublished, { published: true, publishedon: now + 5 }, { published: true, publishedon: now }],
    [unpublished, { publishedon: now + 5 }, { published: false, publishedon: now + 5 }],
    [unpublished, { publishedon: now - 5 }, { published: false, publishedon: now - 5 }],
    [{ published: true, publishedon: 7 }, { published: true }, { published: true, publishedon: 7 }],
    [{ published: true, publishedon: 7 }, { publishedon: 9 }, { published: true, publishedon: 9 }],
    [{ published: true, publishedon: 7 }, { published: false }, unpublished],
    [{ published: true, publishedon: now + 9 }, { published: false }, unpublished],
    [{ published: true, publishedon: 7 }, { published: false, publishedon: 7 }, unpublished],
    [{ published: true, publishedon: 7 }, { published: false, publishedon: now }, unpublished],
    [
      { published: true, publishedon: 7 },
      { published: false, publishedon: now + 1 },
      { published: false, publishedon: now + 1 },
    ],
    [{ published: false, publishedon: 7 }, { published: false }, { published: false, publishedon: 7 }],
  ]
  for (const [before, wanted, after] of rows) t.same(publicationAfter(before, wanted, now), after, JSON.stringify([before, wanted]))
})

t.test('an article is due when its date has passed, and at no other time', async (t) => {
  t.equal(isDue({ published: false, publishedon: now - 1 }, now), true)
  t.equal(isDue({ published: false, publishedon: now }, now), false, 'the very moment is not later')
  t.equal(isDue({ published: false, publishedon: null }, now), false)
  t.equal(isDue({ published: true, publishedon: now - 1 }, now), false)
  t.same(publish(now), { published: true, publishedon: now })
})

t.test('an article is a draft, planned or published', async (t) => {
  t.equal(stateOf(unpublished, now), 'draft')
  t.equal(stateOf({ published: false, publishedon: now + 1 }, now), 'planned')
  t.equal(stateOf({ published: false, publishedon: now }, now), 'planned', 'until its moment has passed')
  t.equal(stateOf({ published: false, publishedon: now - 1 }, now), 'draft')
  t.equal(stateOf({ published: true, publishedon: null }, now), 'published')
})

t.test('whatever is saved, the publication rules hold', async (t) => {
  const holds = (property: (before: Publication, wanted: Partial<Publication>, after: Publication) => boolean) =>
    fc.assert(fc.property(publication, wish, (before, wanted) => property(before, wanted, publicationAfter(before, wanted, now))))
  holds((before, wanted, after) => after.published === (wanted.published ?? before.published))
  holds((before, _, after) => before.published || !after.published || after.publishedon === now)
  holds((before, _, after) => !before.published || after.published || !isDue(after, now))
  holds((before, wanted) => JSON.stringify(publicationAfter(before, {}, now)) === JSON.stringify(before) || Object.keys(wanted).length > 0)
  holds((_, wanted, after) => {
    const again = publicationAfter(after, wanted, now)
    return again.published === after.published
  })
  const more = { ...unpublished, name: 'A record' }
  t.same(publicationAfter(more, { ...more, published: true }, now), publish(now), 'nothing else of a record comes along')
  t.same(publicationAfter(more, more, now), unpublished)
})
