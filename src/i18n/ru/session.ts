/** Signing in, forgotten passwords, sessions. */
export const session: Record<string, string> = {
  'A dealer can place up to 60 orders an hour. Try again later.': 'Дилер может оформить до 60 заказов в час. Повторите попытку позже.',
  'The form took too long to arrive. Send it again.': 'Форма передавалась слишком долго. Отправьте её ещё раз.',
  'You are now in a different account. Nothing was saved.': 'Вы уже работаете в другой учётной записи. Ничего не сохранено.',
  'Forgot your password?': 'Забыли пароль?',
  'This link has expired': 'Ссылка больше не действует',
  'Password changed. Sign in with the new one.': 'Пароль изменён. Войдите с новым паролем.',
  'Password reset by email is not available. Ask an administrator for a new password.':
    'Сброс пароля по почте не настроен. Попросите новый пароль у администратора.',
  'If an account uses this email, we have sent it a link. The link works once and expires in an hour.':
    'Если такая учётная запись есть, мы отправили на этот адрес ссылку. Она сработает один раз в течение часа.',
  'No email? Check your spam folder, try again in a minute, or contact an administrator.':
    'Письмо не пришло? Проверьте спам, через минуту запросите ссылку ещё раз или обратитесь к администратору.',
  'Enter your email and we will send you a link to set a new password.': 'Укажите email, и мы отправим ссылку для смены пароля.',
  'Send link': 'Отправить ссылку',
  'Changing your password signs you out in every browser.': 'После смены пароля вы выйдете из кабинета во всех браузерах.',
  'Save new password': 'Сохранить пароль',
  'Reset links work once and expire in an hour. You can request a new one.': 'Ссылка действует один раз в течение часа. Запросите новую.',
  'Request new link': 'Запросить новую ссылку',
  'Reset your Dealer cabinet password': 'Смена пароля в дилерском кабинете',
  'Someone, most likely you, asked to reset your Dealer cabinet password.':
    'Кто-то — скорее всего, вы — запросил смену пароля в дилерском кабинете.',
  'Open this link within an hour to set a new password:': 'Чтобы задать новый пароль, откройте эту ссылку в течение часа:',
  'Several accounts use this email. Open the link for the one you need within an hour:':
    'С этим адресом связано несколько учётных записей. Откройте ссылку нужной в течение часа:',
  'If this was not you, ignore this email. Your password stays the same.':
    'Если это были не вы, ничего не делайте: пароль останется прежним.',
  'Your session expired, but your changes are kept for an hour. Sign in to continue.':
    'Сеанс завершился, но введённые данные хранятся ещё час. Войдите, чтобы продолжить.',
  'Your unsaved changes have expired.': 'Срок хранения введённых данных истёк.',
  'If this keeps happening, send this ID to an administrator: {id}': 'Если это повторится, сообщите администратору код: {id}',
  Sessions: 'Сеансы',
  Browser: 'Браузер',
  'Unknown browser': 'Неизвестный браузер',
  'Signed in': 'Вход',
  'Last active': 'Последняя активность',
  'This session': 'Текущий сеанс',
  'signed in as {name}': 'от имени: {name}',
  'Sessions end after 12 hours of inactivity, or after seven days. If you see one you do not recognize, sign it out and change your password.':
    'Сеанс завершается после 12 часов бездействия или через семь дней. Если сеанс вам незнаком, завершите его и смените пароль.',
  'Sign out other sessions': 'Завершить остальные сеансы',
  'Other sessions signed out': 'Остальные сеансы завершены',
  'Session signed out': 'Сеанс завершён',
  'Your session expired. Your changes are safe: save, sign in, and continue.':
    'Сеанс завершился. Введённые данные не потеряны: нажмите «Сохранить», войдите и продолжите.',
}
