import { dayInText, today } from './calendar.ts'
import type { PictureName } from './pictures.ts'

export interface Article {
  name: string
  description: string
  created: number
  picture?: PictureName
  published?: boolean
  /** Days until it is published; published articles are since they were created. */
  scheduled?: number
}

const year = new Date(today).getUTCFullYear()

export const articles: Article[] = [
  {
    name: 'Открыт личный кабинет дилера',
    description: `<p>Теперь заказы, спецификации и счета собраны в одном месте. В кабинете можно:</p>
<ul><li>оформить заказ и следить за его статусом;</li><li>получить спецификацию и счёт;</li><li>приложить платёжное поручение;</li><li>прочитать новости завода.</li></ul>
<p>По вопросам доступа обращайтесь к своему менеджеру.</p>`,
    picture: 'cabinet',
    created: 531,
    published: true,
  },
  {
    name: 'Секционные ворота: два новых цвета панелей',
    description: `<p>В складскую программу вошли панели <strong>RAL 7016</strong> (антрацит) и <strong>RAL 8017</strong> (шоколад). Срок изготовления тот же, 7 рабочих дней, наценки за цвет нет.</p>
<p>Образцы отправим с ближайшей машиной, сообщите менеджеру, сколько наборов вам нужно.</p>`,
    picture: 'gates',
    created: 481,
    published: true,
  },
  {
    name: `Изменение цен на алюминиевый профиль с ${dayInText(-426)}`,
    description: `<p>Из-за роста цен на сырьё с <strong>${dayInText(-426)}</strong> меняются базовые цены. Заказы, оплаченные раньше, выполним по прежним.</p>
<table><thead><tr><th>Группа</th><th>Изменение</th></tr></thead><tbody><tr><td>Холодные системы</td><td>+4 %</td></tr><tr><td>Тёплые системы</td><td>+6 %</td></tr><tr><td>Фасадные системы</td><td>+5 %</td></tr></tbody></table>
<p>Ваши скидки остаются прежними.</p>`,
    picture: 'prices',
    created: 446,
    published: true,
  },
  {
    name: 'Training for installers in Podolsk',
    description: `<p>On ${dayInText(-381, 'en')} and ${dayInText(-380, 'en')} we hold two days of training at the Podolsk plant: sectional doors on the first day, drives and safety edges on the second.</p>
<p>Travel is on your side; lunches and the certificate are on ours. Places are limited to <strong>24</strong>.</p>`,
    picture: 'training',
    created: 405,
    published: true,
  },
  {
    name: 'График отгрузок на время переучёта',
    description: `<p>Склады работают по особому графику:</p>
<ul><li>${dayInText(-306)}: отгрузка до 14:00;</li><li>с ${dayInText(-305)} по ${dayInText(-302)}: отгрузок нет;</li><li>с ${dayInText(-301)}: обычный режим.</li></ul>
<p>Заказы, которые нужно получить раньше, просим оплатить не позднее <strong>${dayInText(-318)}</strong>.</p>`,
    created: 338,
    published: true,
  },
  {
    name: `Итоги года: лучшие дилеры ${year - 1}`,
    description: `<p>Спасибо всем, кто работал с нами весь год! Больше всех выросли партнёры из Архангельска, Уфы и Красноярска.</p>
<p>Награды вручим на встрече дилеров. <em>Ждём вас в Екатеринбурге.</em></p>`,
    picture: 'celebration',
    created: 312,
    published: true,
  },
  {
    name: `Встреча дилеров ${dayInText(-255)} в Екатеринбурге`,
    description: `<p>Собираем всех дилеров на два дня: планы завода, новинки и экскурсия на производство.</p>
<h3>Программа</h3>
<ol><li>Планы завода на год.</li><li>Новая линейка входных дверей с терморазрывом.</li><li>Экскурсия на производство в Верхней Пышме.</li></ol>
<p>Подтвердите участие у своего менеджера до ${dayInText(-264)}.</p>`,
    created: 285,
    published: true,
  },
  {
    name: 'Входные двери с терморазрывом: приём заказов открыт',
    description: `<p>Серия «Полюс» рассчитана на морозы до −50 °C: три контура уплотнения, коробка с терморазрывом, полотно 95 мм.</p>
<p>Вводная скидка <strong>7 %</strong> действует на заказы до ${dayInText(-215)} и складывается с вашей.</p>`,
    picture: 'frost',
    created: 249,
    published: true,
  },
  {
    name: 'New price list for drives and accessories',
    description: `<p>The new price list is in force from <strong>${dayInText(-214, 'en')}</strong>. Drives for sliding gates become 3 % cheaper, remote controls keep their price, hardware kits rise by 2 %.</p>
<p>Orders that are already in production are not affected.</p>`,
    picture: 'prices',
    created: 222,
    published: true,
  },
  {
    name: 'Акция месяца: рольставни со скидкой 10 %',
    description: `<p>С ${dayInText(-19)} по ${dayInText(26)} на рольставни с ручным управлением действует дополнительная скидка <strong>10 %</strong>.</p>
<blockquote><p>Скидка считается от цены, уже уменьшенной на скидку вашей компании.</p></blockquote>`,
    picture: 'gates',
    created: 20,
    published: true,
  },
  {
    name: 'Переезд уральского склада',
    description: `<p>С ${dayInText(-123)} уральский склад отгружает по новому адресу: Екатеринбург, ул. Монтёрская, 3. Въезд со двора, пропуск заказывает менеджер за день до приезда.</p>
<p>Часы работы: по будням с 8:00 до 18:00, в субботу с 9:00 до 14:00.</p>`,
    picture: 'warehouse',
    created: 137,
    published: true,
  },
  {
    name: 'Dealer survey: what should the cabinet do next?',
    description: `<p>Draft of the questions; to be agreed with the sales department.</p>
<ul><li>How often do you open the cabinet?</li><li>Which documents do you still ask for by phone?</li><li>What would save you the most time?</li></ul>`,
    created: 53,
  },
  {
    name: 'Сроки изготовления в высокий сезон',
    description: `<p>До ${dayInText(30)} заводы загружены полностью, и сроки увеличены:</p>
<table><thead><tr><th>Изделия</th><th>Срок, рабочих дней</th></tr></thead><tbody><tr><td>Окна ПВХ</td><td>9</td></tr><tr><td>Алюминиевые конструкции</td><td>18</td></tr><tr><td>Секционные ворота</td><td>12</td></tr></tbody></table>
<p>Дата производства каждого заказа видна на его карточке.</p>`,
    picture: 'windows',
    created: 48,
    published: true,
  },
  {
    name: 'Новая фурнитура для межкомнатных дверей',
    description: '<p>Черновик: дождаться фотографий от поставщика и согласовать цены на магнитные замки и скрытые петли.</p>',
    created: 27,
  },
  {
    name: 'Certificates of conformity renewed',
    description: `<p>The certificates for PVC windows and entrance doors have been renewed and are valid <strong>until ${dayInText(-17, 'en')} ${year + 3}</strong>.</p>
<p>Ask your manager for copies to show to your customers.</p>`,
    created: 17,
    published: true,
  },
  {
    name: `Цены ${year + 1} года`,
    description: `<p>Новый прайс-лист действует с 1 января ${year + 1} года. Главное: цены на окна ПВХ не меняются, секционные ворота дорожают на 3 %.</p>`,
    picture: 'prices',
    created: 5,
    scheduled: 4,
  },
  {
    name: 'Заводу сорок лет: приглашаем на юбилей',
    description: '<p>Подольскому заводу исполняется сорок лет. Ждём всех дилеров на празднике: экскурсия, концерт и вечер с друзьями.</p>',
    picture: 'celebration',
    created: 2,
    scheduled: 7,
  },
  {
    name: 'Тёплый монтаж окон: новая инструкция и видео',
    description: `<p>Обновили инструкцию по монтажу: трёхслойный шов, крепление пластинами и проверка тепловизором. Гарантия на заказы с тёплым монтажом <strong>7 лет</strong>.</p>
<h3>Что изменилось</h3>
<ul><li>пояс утепления по четвертям;</li><li>шаг крепления 600 мм вместо 700;</li><li>акт приёмки с тремя снимками.</li></ul>
<p>Бригады, которые прошли обучение, получают наборы ленты бесплатно.</p>`,
    picture: 'windows',
    created: 1,
    published: true,
  },
]
