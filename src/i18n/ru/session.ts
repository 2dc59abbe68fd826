/** Signing in, forgotten passwords, sessions. */
export const session: Record<string, string> = {
  'Forgot your password?': 'Забыли пароль?',
  'A new password': 'Новый пароль',
  'This link no longer works': 'Эта ссылка больше не действует',
  'Your password has been changed. Sign in with the new one.': 'Пароль изменён. Войдите с новым паролем.',
  'This cabinet sends no mail. Please ask an administrator for a new password.':
    'Этот кабинет не отправляет писем. Попросите новый пароль у администратора.',
  'If this is the address of an account, a link is on its way there. It works once, within an hour.':
    'Если у этого адреса есть учётная запись, ссылка уже отправлена. Она действует один раз, в течение часа.',
  'Nothing has come? Look into the spam folder, wait a minute and ask again, or ask an administrator.':
    'Письма нет? Проверьте папку со спамом, через минуту запросите ссылку ещё раз или обратитесь к администратору.',
  'We send a link to your address with which you choose a new password.':
    'Мы отправим на ваш адрес ссылку, по которой вы зададите новый пароль.',
  'Send the link': 'Отправить ссылку',
  'It ends all your sessions, in every browser.': 'Все ваши сеансы завершатся, во всех браузерах.',
  'Save the new password': 'Сохранить новый пароль',
  'A link works once, within an hour. You can ask for another one.': 'Ссылка действует один раз, в течение часа. Можно запросить ещё одну.',
  'Ask for a link': 'Запросить ссылку',
  'A new password for the dealer cabinet': 'Новый пароль для дилерского кабинета',
  'Somebody, most likely you, asked for a new password for the dealer cabinet.':
    'Кто-то — скорее всего, вы — запросил новый пароль для дилерского кабинета.',
  'Open this link within an hour and choose a new one:': 'Откройте эту ссылку в течение часа и задайте новый пароль:',
  'This address belongs to several accounts. Open the link of the one you mean within an hour:':
    'У этого адреса несколько учётных записей. В течение часа откройте ссылку нужной:',
  'If it was not you, there is nothing to do: your password stays as it is.':
    'Если это были не вы, ничего делать не нужно: пароль останется прежним.',
  'Your session had ended, but what you typed is kept for an hour. Sign in again, and it goes on.':
    'Сеанс завершился, но введённое сохранится ещё час. Войдите снова, и работа продолжится.',
  'What was typed here is kept no longer.': 'Введённое здесь больше не хранится.',
  'If it happens again, tell an administrator this number: {id}': 'Если это повторится, сообщите администратору номер: {id}',
  Sessions: 'Сеансы',
  Browser: 'Браузер',
  'An unknown browser': 'Неизвестный браузер',
  'Signed in': 'Вход',
  'Last seen': 'Последняя активность',
  'This one': 'Этот',
  'acting as {name}': 'от имени: {name}',
  'A session ends after 12 hours without a visit, and after seven days in any case. If you do not know one of these, end it and change your password.':
    'Сеанс завершается после 12 часов без посещений и в любом случае через семь дней. Если какой-то из них вам незнаком, завершите его и смените пароль.',
  'Sign out everywhere else': 'Выйти в других браузерах',
  'You are signed out everywhere else.': 'Вы вышли везде, кроме этого браузера.',
  'The session has been ended.': 'Сеанс завершён.',
  'Your session has ended. Nothing that you typed is lost: save it, sign in again, and it goes on.':
    'Сеанс завершился. Введённое не потеряно: сохраните, войдите снова, и работа продолжится.',
}
