import t from 'tap'
import { makeChart } from '../../src/view/chart.ts'
import { startCabinet } from '../support/cabinet.ts'
import { fullOutlineOf } from '../support/outline.ts'
import { linesOf } from '../support/outline-lines.ts'

const values = [
  { name: 'October 2026', short: 'Oct', value: 200, text: '2 orders', brief: '2', address: '/orders?month=10' },
  { name: 'November 2026', short: 'Nov', value: 0, text: 'no order', address: '/orders?month=11' },
  { name: 'December 2026', short: 'Dec', value: 400, text: '4 orders', brief: '4', address: '/orders?month=12' },
]

t.test('a chart draws each value at its height with its name and the way to its list, and reads as a table', async (t) => {
  const { app } = await startCabinet(t)
  const draw = async (kind: string) => {
    const template = `{% import "components/chart.njk" as kit %}{{ kit.${kind}(chart) }}`
    const chart = makeChart('Orders by month', ['Month', 'Orders'], values)
    const html = await app.view_en({ raw: template } as never, { chart })
    return linesOf(fullOutlineOf(html, ':root'))
  }
  const heads = [
    ' g role=row',
    '  text role=columnheader “Month”',
    '  text role=columnheader “Orders”',
    ' line x1=0 y1=84% x2=100% y2=84% aria-hidden=true',
  ]
  const row = (center: string, left: string, month: number, name: string, text: string, drawn: string[]) => [
    ' g role=row',
    `  text role=rowheader aria-label=${name} x=${center}% y=84% dy=1.4em text-anchor=middle “${name.slice(0, 3)}”`,
    '  g role=cell',
    `   a href=/orders?month=${month}`,
    `    title “${name}: ${text}”`,
    `    rect x=${left}% y=0 width=33.33% height=84%`,
    ...drawn.map((one) => `    ${one}`),
  ]
  const name = (x: string, y: number, said: number) => `text x=${x}% y=${y}% text-anchor=middle aria-hidden=true “${said}”`
  const bar = (x: string, y: number, height: number) => `rect x=${x}% y=${y}% width=23.331% height=${height}% rx=2`
  t.same(await draw('bars'), [
    'svg role=table aria-label=Orders by month',
    ...heads,
    ...row('16.67', '0', 10, 'October 2026', '2 orders', [name('16.67', 46, 2), bar('4.9995', 49, 35)]),
    ...row('50', '33.33', 11, 'November 2026', 'no order', [bar('38.3295', 84, 0)]),
    ...row('83.33', '66.67', 12, 'December 2026', '4 orders', [name('83.33', 11, 4), bar('71.6695', 14, 70)]),
  ])
  const point = (x: string, y: number) => [`circle cx=${x}% cy=${y}% r=3`]
  const axis = makeChart('x', ['x', 'x'], values, (value) => `${value} orders`)
  t.same(
    axis.ticks,
    [
      { y: 66.5, text: '100 orders' },
      { y: 49, text: '200 orders' },
      { y: 31.5, text: '300 orders' },
      { y: 14, text: '400 orders' },
    ],
    'an axis has round values',
  )
  t.same(await draw('line'), [
    'svg role=table aria-label=Orders by month .is-dense',
    ...heads,
    ' svg viewbox=0 0 100 100 preserveaspectratio=none aria-hidden=true',
    '  polygon points=16.67,84 16.67,49 50,84 83.33,14 83.33,84',
    ' line x1=16.67% y1=49% x2=50% y2=84% aria-hidden=true',
    ' line x1=50% y1=84% x2=83.33% y2=14% aria-hidden=true .is-open',
    ...row('16.67', '0', 10, 'October 2026', '2 orders', point('16.67', 49)),
    ...row('50', '33.33', 11, 'November 2026', 'no order', point('50', 84)),
    ...row('83.33', '66.67', 12, 'December 2026', '4 orders', point('83.33', 14)),
  ])
})
