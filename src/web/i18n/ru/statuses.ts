/** Statuses of orders and the ways between them. */
export const statuses: Record<string, string> = {
  'No status': 'Без статуса',
}
