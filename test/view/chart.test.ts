import fc from 'fast-check'
import t from 'tap'
import { stepsUpTo } from '../../src/view/chart.ts'

t.test(
  'the axis of a chart has two to five round values, evenly apart, of which the last is the first that is as high as the highest',
  async (t) => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 ** 13 }), (most) => {
        const steps = stepsUpTo(most)
        const [step = 0] = steps
        const last = steps.at(-1) as number
        const round = /^[125]0*$/.test(String(step))
        const even = steps.every((value, index) => value === step * (index + 1))
        return round && even && steps.length >= 2 && steps.length <= 5 && last >= most && last - step < most
      }),
    )
    t.same([stepsUpTo(0), stepsUpTo(1), stepsUpTo(2), stepsUpTo(12), stepsUpTo(50), stepsUpTo(51)].map(String), [
      '',
      '1',
      '1,2',
      '5,10,15',
      '10,20,30,40,50',
      '20,40,60',
    ])
  },
)
