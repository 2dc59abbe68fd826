/** In which sizes a side of a product comes, as a text and its parameters; undefined where any will do. */
export function describeRange(least: number | null, most: number | null): { text: string; params: Record<string, unknown> } | undefined {
  if (least === null && most === null) return undefined
  const text = most === null ? 'from {least} mm' : least === null ? 'up to {most} mm' : '{least} to {most} mm'
  return { text, params: { least, most } }
}
