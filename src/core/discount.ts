/** Discount of a category in percent (company rule 1): the company's row for the category, otherwise its base discount. */
export function discountOf(categoryId: number | null, rows: { category_id: number; discount: number }[], base: number | null): number {
  return rows.find((row) => row.category_id === categoryId)?.discount ?? base ?? 0
}
