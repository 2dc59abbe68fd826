import t from 'tap'
import { killAndVerify, killsOr } from './crash-recovery.ts'

t.test('a service killed during writes keeps every acknowledged write and no partial one', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const rounds = killsOr(6)
  t.comment(`seed ${seed}`)
  const acknowledged = await killAndVerify(t, { rounds, seed })
  t.comment(`${rounds} kills, ${acknowledged} acknowledged writes`)
  t.ok(acknowledged >= rounds * 3, `${acknowledged} writes were acknowledged`)
})
