/** Security log, second factor, confirmation of identity. */
export const security: Record<string, string> = {
  'Security log': 'Журнал безопасности',
  'Sign-ins, changes of passwords and rights, and refused requests appear here.':
    'Здесь появятся входы, смены паролей и прав, отказы в доступе.',
  Event: 'Событие',
  User: 'Пользователь',
  Details: 'Подробности',
  'Sign-in refused': 'Отказ во входе',
  'Locked out': 'Вход заблокирован',
  'Second factor used': 'Вход с кодом',
  'Second factor changed': 'Изменена двухэтапная проверка',
  'Password reset requested': 'Запрошен сброс пароля',
  'Password changed': 'Пароль изменён',
  'Email changed': 'Email изменён',
  'Impersonation started': 'Начата работа от чужого имени',
  'Impersonation ended': 'Закончена работа от чужого имени',
  'Rights changed': 'Права изменены',
  'Sessions ended': 'Сеансы завершены',
  Exported: 'Выгрузка',
  'Access refused': 'Отказ в доступе',
}
