import { searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { categories, manufactures, stocks } from '../schema/index.ts'
import { firstDay, timestamps } from './calendar.ts'

const categoryNames = [
  'Окна ПВХ',
  'Алюминиевые окна и двери',
  'Входные двери',
  'Межкомнатные двери',
  'Секционные ворота',
  'Откатные и распашные ворота',
  'Рольставни',
  'Автоматика и фурнитура',
]

const stockPlaces = [
  { name: 'Центральный склад', address: '142117, Московская обл., г. Подольск, ул. Станционная, д. 24' },
  { name: 'Уральский склад', address: '620085, г. Екатеринбург, ул. Монтёрская, д. 3' },
]

const sites = [
  { name: 'Подольский завод', address: '142117, Московская обл., г. Подольск, Домодедовское ш., д. 41' },
  { name: 'Завод в Верхней Пышме', address: '624091, Свердловская обл., г. Верхняя Пышма, ул. Петрова, д. 59' },
]

export interface References {
  categories: number[]
  stocks: number[]
  manufactures: number[]
}

export function addReferences(db: Database): References {
  return {
    categories: categoryNames.map((name) => idOf(db.insert(categories).values(namedRow(name)).run())),
    stocks: stockPlaces.map((place) => idOf(db.insert(stocks).values(placeRow(place)).run())),
    manufactures: sites.map((place) => idOf(db.insert(manufactures).values(placeRow(place)).run())),
  }
}

function namedRow(name: string) {
  return { name, search: searchText(name), ...timestamps(firstDay) }
}

function placeRow({ name, address }: { name: string; address: string }) {
  return { name, address, search: searchText(name, address), ...timestamps(firstDay) }
}

function idOf(result: { lastInsertRowid: number | bigint }): number {
  return Number(result.lastInsertRowid)
}
