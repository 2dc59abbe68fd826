export function toBars<T extends { value: number }>(rows: T[]) {
  const highest = Math.max(1, ...rows.map(({ value }) => value))
  return rows.map((row) => ({ ...row, width: Math.round((row.value / highest) * 1000) / 10 }))
}

const size = { width: 600, height: 160, below: 22, above: 18 }

export function toColumns(values: { label: string; value: number }[]) {
  const highest = Math.max(1, ...values.map(({ value }) => value))
  const step = size.width / values.length
  const plotHeight = size.height - size.below - size.above
  const bars = values.map(({ label, value }, index) => {
    const height = Math.round((value / highest) * plotHeight)
    return {
      label,
      value,
      x: Math.round(index * step + step * 0.15),
      y: size.above + plotHeight - height,
      width: Math.round(step * 0.7),
      height,
      middle: Math.round((index + 0.5) * step),
    }
  })
  return { ...size, base: size.above + plotHeight, columns: bars }
}
