export const organizations: [org: string, city: string, site: string][] = [
  ['ООО «Окна Севера»', 'Архангельск', 'okna-sever'],
  ['ООО «ДверьПром»', 'Ярославль', 'dverprom'],
  ['АО «Уральские ворота»', 'Екатеринбург', 'ural-vorota'],
  ['ООО «Светлый дом»', 'Тула', 'svetly-dom'],
  ['ИП Гордеев Алексей Петрович', 'Воронеж', 'gordeev-okna'],
  ['ООО «Волга-Профиль»', 'Самара', 'volga-profil'],
  ['ООО «Тёплый контур»', 'Пермь', 'teply-kontur'],
  ['Nordic Doors Ltd', 'Мурманск', 'nordic-doors'],
  ['ООО «Балтийские окна»', 'Калининград', 'balt-okna'],
  ['ООО «Кубань-Ворота»', 'Краснодар', 'kuban-vorota'],
  ['ООО «СибПласт»', 'Новосибирск', 'sibplast'],
  ['ИП Аксёнова Марина Викторовна', 'Вологда', 'aksenova-dveri'],
  ['ООО «Город дверей»', 'Нижний Новгород', 'gorod-dverey'],
  ['АО «Петровские мануфактуры»', 'Санкт-Петербург', 'petrovskie'],
  ['ООО «Стеклостиль»', 'Казань', 'steklostil'],
  ['ООО «Домус-Плюс»', 'Москва', 'domus-plus'],
  ['ООО «Южный фасад»', 'Ростов-на-Дону', 'yug-fasad'],
  ['ИП Рахимов Тимур Маратович', 'Уфа', 'rahimov'],
  ['ООО «Новый проём»', 'Челябинск', 'novy-proem'],
  ['ООО «Дальокно»', 'Владивосток', 'dalokno'],
  ['Baltic Gate Systems Ltd', 'Санкт-Петербург', 'baltic-gate'],
  ['ИП Ёлкин Пётр Семёнович', 'Пермь', 'elkin-okna'],
  ['ООО «Амур-Сервис»', 'Хабаровск', 'amur-servis'],
  ['ООО «Роллет-Мастер»', 'Москва', 'rollet-master'],
  ['ООО «Енисей Окна»', 'Красноярск', 'enisey-okna'],
  ['АО «Омский оконный комбинат»', 'Омск', 'omsk-okna'],
  ['ООО «Тверская дверная компания»', 'Тверь', 'tver-dveri'],
  ['ИП Лисицына Ольга Николаевна', 'Тюмень', 'lisitsyna'],
  ['ООО «Байкал-Строй»', 'Иркутск', 'baikal-stroy'],
  ['Northern Light Windows LLC', 'Архангельск', 'northern-light'],
  ['ООО «Царицын-Окна»', 'Волгоград', 'tsaritsyn-okna'],
  ['ООО «Фурнитура и Ко»', 'Екатеринбург', 'furnitura-ko'],
  ['ООО «Арсенал Ворот»', 'Тула', 'arsenal-vorot'],
  ['ИП Савицкий Глеб Олегович', 'Краснодар', 'savitsky'],
  ['ООО «Столичный балкон»', 'Москва', 'stolica-balkon'],
  ['ООО «Прозрачный мир»', 'Новосибирск', 'prozrachny-mir'],
  ['Doors & More LLC', 'Москва', 'doors-and-more'],
  ['ООО «Окна 24»', 'Самара', 'okna24'],
  ['ООО «Крепкий засов»', 'Нижний Новгород', 'krepky-zasov'],
  ['ИП Журавлёва Анна Игоревна', 'Ярославль', 'zhuravleva'],
]

const [sole, firstLatinLetter] = [/^ИП /, /^[A-Z]/]

export function soleProprietor(org: string): string | null {
  return sole.test(org) ? org.replace(sole, '') : null
}

export function isForeign(org: string): boolean {
  return firstLatinLetter.test(org)
}
