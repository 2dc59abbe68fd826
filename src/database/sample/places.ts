import type { Random } from './random.ts'

export interface City {
  name: string
  /** First digits of the tax office numbers. */
  region: string
  okato: string
  /** First digits of the postal codes. */
  post: string
  phoneCode: string
}

const list: [name: string, region: string, okato: string, post: string, phoneCode: string][] = [
  ['Архангельск', '29', '11401000000', '163', '818'],
  ['Владивосток', '25', '05401000000', '690', '423'],
  ['Волгоград', '34', '18401000000', '400', '844'],
  ['Вологда', '35', '19401000000', '160', '817'],
  ['Воронеж', '36', '20401000000', '394', '473'],
  ['Екатеринбург', '66', '65401000000', '620', '343'],
  ['Иркутск', '38', '25401000000', '664', '395'],
  ['Казань', '16', '92401000000', '420', '843'],
  ['Калининград', '39', '27401000000', '236', '401'],
  ['Краснодар', '23', '03401000000', '350', '861'],
  ['Красноярск', '24', '04401000000', '660', '391'],
  ['Москва', '77', '45000000000', '115', '495'],
  ['Мурманск', '51', '47401000000', '183', '815'],
  ['Нижний Новгород', '52', '22401000000', '603', '831'],
  ['Новосибирск', '54', '50401000000', '630', '383'],
  ['Омск', '55', '52401000000', '644', '381'],
  ['Пермь', '59', '57401000000', '614', '342'],
  ['Ростов-на-Дону', '61', '60401000000', '344', '863'],
  ['Самара', '63', '36401000000', '443', '846'],
  ['Санкт-Петербург', '78', '40000000000', '195', '812'],
  ['Тверь', '69', '28401000000', '170', '482'],
  ['Тула', '71', '70401000000', '300', '487'],
  ['Тюмень', '72', '71401000000', '625', '345'],
  ['Уфа', '02', '80401000000', '450', '347'],
  ['Хабаровск', '27', '08401000000', '680', '421'],
  ['Челябинск', '74', '75401000000', '454', '351'],
  ['Ярославль', '76', '78401000000', '150', '485'],
]

const cities = new Map<string, City>(list.map(([name, region, okato, post, phoneCode]) => [name, { name, region, okato, post, phoneCode }]))

export function cityOf(name: string): City {
  return cities.get(name) as City
}

export function anyCity(random: Random): City {
  return random.pick([...cities.values()])
}

const streets = [
  'ул. Ленина',
  'ул. Гагарина',
  'ул. Советская',
  'ул. Заводская',
  'ул. Промышленная',
  'ул. Строителей',
  'ул. Мира',
  'ул. Лесная',
  'ул. Чехова',
  'ул. Королёва',
  'пр-т Победы',
  'пр-т Космонавтов',
  'Московское ш.',
  'ул. Октябрьская',
  'ул. Набережная',
]

export function office(random: Random, city: City): string {
  return `${streetAddress(random, city)}, оф. ${random.integer(1, 420)}`
}

export function showroom(random: Random, city: City): string {
  return streetAddress(random, city) + random.pick(['', ', пав. 12', ', ТЦ «Стройград»', ', корп. 2', ', 1 этаж'])
}

function streetAddress(random: Random, city: City): string {
  return `${city.post}0${random.digits(2)}, г. ${city.name}, ${random.pick(streets)}, д. ${random.integer(1, 180)}`
}
