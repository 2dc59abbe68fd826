import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'

t.test('smoke', async (t) => {
  const { as, cast } = await startCabinet(t)
  const admin = await as('admin')
  for (const path of [
    '/',
    '/dealers',
    '/dealers?q=королев&cols=created_at',
    `/dealers/edit/${cast.daria}`,
    '/dealers/add',
    '/companies',
    `/company/edit/${cast.companies.beta}`,
    '/company/add',
    `/dealers/delete?id=${cast.denis}`,
  ]) {
    const answer = await admin.get(path)
    t.equal(answer.statusCode, 200, path)
    if (answer.statusCode !== 200) console.log(answer.body)
  }
})
