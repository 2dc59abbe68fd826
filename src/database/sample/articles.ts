export interface Article {
  name: string
  description: string
  created: string
  published?: boolean
  publishedon?: string
}

export const articles: Article[] = [
  {
    name: 'Открыт личный кабинет дилера',
    description: `<p>Теперь заказы, спецификации и счета собраны в одном месте. В кабинете можно:</p>
<ul><li>оформить заказ и следить за его статусом;</li><li>получить спецификацию и счёт;</li><li>приложить платёжное поручение;</li><li>прочитать новости завода.</li></ul>
<p>По вопросам доступа обращайтесь к своему менеджеру.</p>`,
    created: '2025-05-19T07:00Z',
    published: true,
  },
  {
    name: 'Секционные ворота: два новых цвета панелей',
    description: `<p>В складскую программу вошли панели <strong>RAL 7016</strong> (антрацит) и <strong>RAL 8017</strong> (шоколад). Срок изготовления тот же, 7 рабочих дней, наценки за цвет нет.</p>
<p>Образцы отправим с ближайшей машиной, сообщите менеджеру, сколько наборов вам нужно.</p>`,
    created: '2025-07-08T08:30Z',
    published: true,
  },
  {
    name: 'Изменение цен на алюминиевый профиль с 1 сентября',
    description: `<p>Из-за роста цен на сырьё с <strong>1 сентября 2025 года</strong> меняются базовые цены. Заказы, оплаченные до конца августа, выполним по прежним.</p>
<table><thead><tr><th>Группа</th><th>Изменение</th></tr></thead><tbody><tr><td>Холодные системы</td><td>+4 %</td></tr><tr><td>Тёплые системы</td><td>+6 %</td></tr><tr><td>Фасадные системы</td><td>+5 %</td></tr></tbody></table>
<p>Ваши скидки остаются прежними.</p>`,
    created: '2025-08-12T06:45Z',
    published: true,
  },
  {
    name: 'Training for installers in Podolsk',
    description: `<p>On 16 and 17 October we hold two days of training at the Podolsk plant: sectional doors on the first day, drives and safety edges on the second.</p>
<p>Travel is on your side; lunches and the certificate are on ours. Places are limited to <strong>24</strong>.</p>`,
    created: '2025-09-22T09:10Z',
    published: true,
  },
  {
    name: 'График отгрузок в новогодние праздники',
    description: `<p>Склады работают по особому графику:</p>
<ul><li>30 декабря: отгрузка до 14:00;</li><li>с 31 декабря по 8 января: отгрузок нет;</li><li>с 9 января: обычный режим.</li></ul>
<p>Заказы, которые нужно получить до праздников, просим оплатить не позднее <strong>12 декабря</strong>.</p>`,
    created: '2025-11-28T10:00Z',
    published: true,
  },
  {
    name: 'Итоги года: лучшие дилеры 2025',
    description: `<p>Спасибо всем, кто работал с нами в этом году! Больше всех выросли партнёры из Архангельска, Уфы и Красноярска.</p>
<p>Награды вручим на встрече дилеров в феврале. <em>Ждём вас в Екатеринбурге.</em></p>`,
    created: '2025-12-24T11:20Z',
    published: true,
  },
  {
    name: 'Встреча дилеров 19 февраля в Екатеринбурге',
    description: `<h3>Программа</h3>
<ol><li>Планы завода на 2026 год.</li><li>Новая линейка входных дверей с терморазрывом.</li><li>Экскурсия на производство в Верхней Пышме.</li></ol>
<p>Подтвердите участие у своего менеджера до 10 февраля.</p>`,
    created: '2026-01-20T07:40Z',
    published: true,
  },
  {
    name: 'Входные двери с терморазрывом: приём заказов открыт',
    description: `<p>Серия «Полюс» рассчитана на морозы до −50 °C: три контура уплотнения, коробка с терморазрывом, полотно 95 мм.</p>
<p>Вводная скидка <strong>7 %</strong> действует на заказы до конца марта и складывается с вашей.</p>`,
    created: '2026-02-25T08:00Z',
    published: true,
  },
  {
    name: 'New price list for drives and accessories',
    description: `<p>The spring price list is in force from <strong>1 April 2026</strong>. Drives for sliding gates become 3 % cheaper, remote controls keep their price, hardware kits rise by 2 %.</p>
<p>Orders that are already in production are not affected.</p>`,
    created: '2026-03-24T09:30Z',
    published: true,
  },
  {
    name: 'Весенняя акция: рольставни со скидкой 10 %',
    description: `<p>С 15 апреля по 31 мая на рольставни с ручным управлением действует дополнительная скидка <strong>10 %</strong>.</p>
<blockquote><p>Скидка считается от цены, уже уменьшенной на скидку вашей компании.</p></blockquote>`,
    created: '2026-04-14T06:30Z',
    published: true,
  },
  {
    name: 'Переезд уральского склада',
    description: `<p>С 1 июля уральский склад отгружает по новому адресу: Екатеринбург, ул. Монтёрская, 3. Въезд со двора, пропуск заказывает менеджер за день до приезда.</p>
<p>Часы работы: по будням с 8:00 до 18:00, в субботу с 9:00 до 14:00.</p>`,
    created: '2026-06-17T12:05Z',
    published: true,
  },
  {
    name: 'Dealer survey: what should the cabinet do next?',
    description: `<p>Draft of the questions; to be agreed with the sales department.</p>
<ul><li>How often do you open the cabinet?</li><li>Which documents do you still ask for by phone?</li><li>What would save you the most time?</li></ul>`,
    created: '2026-09-09T13:15Z',
  },
  {
    name: 'Сроки изготовления в высокий сезон',
    description: `<p>В сентябре и октябре заводы загружены полностью, и сроки увеличены:</p>
<table><thead><tr><th>Изделия</th><th>Срок, рабочих дней</th></tr></thead><tbody><tr><td>Окна ПВХ</td><td>9</td></tr><tr><td>Алюминиевые конструкции</td><td>18</td></tr><tr><td>Секционные ворота</td><td>12</td></tr></tbody></table>
<p>Дата производства каждого заказа видна на его карточке.</p>`,
    created: '2026-09-14T07:20Z',
    published: true,
    publishedon: '2026-09-15T06:00Z',
  },
  {
    name: 'Новая фурнитура для межкомнатных дверей',
    description: '<p>Черновик: дождаться фотографий от поставщика и согласовать цены на магнитные замки и скрытые петли.</p>',
    created: '2026-10-05T10:50Z',
  },
  {
    name: 'Certificates of conformity renewed',
    description: `<p>The certificates for PVC windows and entrance doors have been renewed and are valid <strong>until October 2029</strong>.</p>
<p>Ask your manager for copies to show to your customers.</p>`,
    created: '2026-10-15T08:55Z',
    published: true,
  },
  {
    name: 'Цены 2027 года',
    description:
      '<p>Новый прайс-лист действует с 1 февраля 2027 года. Главное: цены на окна ПВХ не меняются, секционные ворота дорожают на 3 %.</p>',
    created: '2026-10-27T09:00Z',
    publishedon: '2027-01-18T06:00Z',
  },
  {
    name: 'Заводу сорок лет: приглашаем на юбилей',
    description:
      '<p>В 2031 году Подольскому заводу исполнится сорок лет. Ждём всех дилеров на празднике: экскурсия, концерт и вечер с друзьями.</p>',
    created: '2026-10-30T11:30Z',
    publishedon: '2031-03-01T06:00Z',
  },
]
