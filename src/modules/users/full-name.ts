import type { SplitColumn } from '../../records/kind/registry.ts'

/** `Иванов Иван Иванович`: what follows the second word is the middle name. */
export const fullNameColumn: SplitColumn = {
  label: 'Full name',
  synonyms: ['ФИО', 'Ф.И.О.', 'Контактное лицо', 'Сотрудник', 'Дилер', 'Пользователь', 'Contact person', 'Contact'],
  fields: ['lastname', 'name', 'middlename'],
  split(cell) {
    const [lastname, name, ...middlename] = cell.split(/\s+/)
    return [lastname, name, middlename.join(' ')]
  },
}
