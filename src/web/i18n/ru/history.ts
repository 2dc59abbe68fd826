/** The bin, and the change history. */
export const history: Record<string, string> = {
  Undo: 'Отменить',
  Bin: 'Корзина',
  Restore: 'Восстановить',
  Deleted: 'Удалено',
  Kind: 'Вид',
  'Deleted by': 'Кто удалил',
  When: 'Когда',
  'Kept until': 'Хранится до',
  '{name} has been restored.': 'Восстановлено: {name}.',
  '{count} records have been restored._one': 'Восстановлена {count} запись.',
  '{count} records have been restored._few': 'Восстановлены {count} записи.',
  '{count} records have been restored._many': 'Восстановлено {count} записей.',
  '{count} records have been restored._other': 'Восстановлено {count} записи.',
  'This can no longer be restored. Nothing was changed.': 'Это больше нельзя восстановить. Ничего не изменено.',
  'Set this right and try again: what was deleted stays in the bin for 30 days.':
    'Исправьте это и попробуйте ещё раз: удалённое хранится в корзине 30 дней.',
  'Place in the order': 'Место по порядку',
  'To the bin': 'В корзину',
  '{name}: another record has the same {fields} now.': '{name}: теперь такое же значение ({fields}) у другой записи.',
  '{name}: {fields} «{other}» is no longer there.': '{name}: больше нет значения «{other}» ({fields}).',
  '{name}: {fields} of «{other}» has been set to something else meanwhile.':
    '{name}: у записи «{other}» тем временем задано другое значение ({fields}).',
  'what you may delete yourself': 'то, что вы сами можете удалять',
}
