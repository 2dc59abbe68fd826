import { readContent } from './content.ts'
import type { Random } from './random.ts'

const { cities, streets } = readContent<{ cities: { name: string; post: string }[]; streets: string[] }>('places')

export function anyAddress(random: Random): string {
  const { name, post } = random.pick(cities)
  const house = `${post}0${random.digits(2)}, г. ${name}, ${random.pick(streets)}, д. ${random.integer(1, 180)}`
  return house + random.pick(['', ', пав. 12', ', ТЦ «Стройград»', ', корп. 2', ', 1 этаж'])
}
