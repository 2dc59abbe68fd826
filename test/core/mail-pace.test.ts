import fc from 'fast-check'
import t from 'tap'
import { nextDaily, nextHourly } from '../../src/core/mail-pace.ts'
import { setTimeZone } from '../support/time-zone.ts'

t.test('mail gathered every hour is sent at the next full hour, never at the present moment', async (t) => {
  const at = (time: string) => Date.parse(`2026-11-27T${time}Z`)
  t.equal(nextHourly(at('09:00:00.001')), at('10:00:00.000'))
  t.equal(nextHourly(at('09:59:59.999')), at('10:00:00.000'))
  t.equal(nextHourly(at('10:00:00.000')), at('11:00:00.000'))
})

t.test('mail of an hour that the clocks skip comes at the first moment after it', async (t) => {
  setTimeZone(t, 'Europe/Berlin')
  t.equal(new Date(nextDaily(Date.parse('2026-03-28T12:00Z'), 2)).toISOString(), '2026-03-29T01:00:00.000Z')
})

t.test('mail of an hour that the clocks repeat comes the first time and not the second', async (t) => {
  setTimeZone(t, 'Europe/Berlin')
  const first = nextDaily(Date.parse('2026-10-24T12:00Z'), 2)
  t.equal(new Date(first).toISOString(), '2026-10-25T00:00:00.000Z')
  t.equal(new Date(nextDaily(first, 2)).toISOString(), '2026-10-26T01:00:00.000Z')
})

t.test('mail gathered daily is sent once on every day, at its hour, whatever the clocks do', async (t) => {
  setTimeZone(t, 'UTC')
  const zones = ['Europe/Moscow', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu']
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 23 }),
      fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-01'), noInvalidDate: true }),
      (TZ, hour, start) => {
        process.env.TZ = TZ
        let after = start.getTime()
        for (let n = 0; n < 30; n++) {
          const next = nextDaily(after, hour)
          const [before, date] = [new Date(after), new Date(next)]
          const days = Math.round(
            (new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime() -
              new Date(before.getFullYear(), before.getMonth(), before.getDate(), 12).getTime()) /
              86_400_000,
          )
          const late = date.getHours() - hour
          if (next <= after || (n > 0 ? days !== 1 : days > 1) || late < 0 || late > 1) return false
          after = next
        }
        return true
      },
    ),
  )
})
