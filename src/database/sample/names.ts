import type { Random } from './random.ts'

export interface PersonName {
  lastname: string
  name: string
  middlename: string | null
}

const words = (text: string) => text.trim().split(/\s+/)

const families = words(`
  Абрамов Агафонов Баранов Белов Белозёров Богданов Борисов Быков Васильев Виноградов Власов Волков Воробьёв Гаврилов Голубев Горбунов
  Громов Гусев Данилов Дементьев Емельянов Ершов Ефимов Жданов Журавлёв Зайцев Захаров Зимин Зуев Ильин Калинин Киселёв Ковалёв Козлов
  Комаров Кондратьев Кузьмин Лаврентьев Лапин Лебедев Логинов Макаров Мельник Миронов Мещерский Морозов Муравьёв Никитин Нечаев Одинцов Осипов
  Панов Покровский Поляков Романов Рябов Савельев Садовский Сафин Семёнов Соболев Соловьёв Сорокин Степанов Сычёв Тарасов Тихонов Трофимов
  Ушаков Филатов Хабибуллин Цветков Черкасов Шевченко Широков Щукин Юдин Яковлев`)
const men = words(`
  Александр Алексей Андрей Антон Артём Борис Вадим Василий Виктор Владимир Георгий Григорий Денис Дмитрий Евгений Иван Игорь Ильдар Кирилл
  Константин Максим Михаил Николай Олег Павел Пётр Роман Руслан Семён Сергей Станислав Тимур Фёдор Юрий`)
const women = words(`
  Алёна Алина Алла Анастасия Анна Валентина Вера Виктория Галина Гузель Дарья Екатерина Елена Жанна Ирина Ксения Лариса Любовь Людмила
  Марина Мария Надежда Наталья Нина Оксана Ольга Полина Светлана Софья Татьяна Юлия`)
const patronymics = words(`
  Александрович Алексеевич Анатольевич Андреевич Артёмович Борисович Вадимович Васильевич Викторович Владимирович Геннадьевич Дмитриевич
  Евгеньевич Иванович Игоревич Константинович Маратович Михайлович Николаевич Олегович Павлович Петрович Романович Сергеевич Юрьевич`)
const foreignFamilies = words(
  "Andersson Bennett Carter Eriksen Fischer Hughes Korhonen Lindqvist Marsh Nowak O'Brien Parker Virtanen Walsh",
)
const foreignNames = words('Alan Anna Daniel Emma Erik Helen James Karin Laura Mark Nora Oliver Peter Sarah Thomas')

export function russianName(random: Random): PersonName {
  const [family, patronymic] = [random.pick(families), random.pick(patronymics)]
  if (random.chance(0.5)) return { lastname: family, name: random.pick(men), middlename: patronymic }
  return { lastname: feminine(family), name: random.pick(women), middlename: patronymic.replace(/ич$/, 'на') }
}

export function foreignName(random: Random): PersonName {
  return { lastname: random.pick(foreignFamilies), name: random.pick(foreignNames), middlename: null }
}

function feminine(family: string): string {
  return family.replace(/([оеё]в|ин)$/, '$1а').replace(/ский$/, 'ская')
}

export function initials({ lastname, name, middlename }: PersonName): string {
  const letters = [name, middlename].filter((part) => part !== null).map((part) => `${part.charAt(0)}.`)
  return [lastname, ...letters].join(' ')
}
