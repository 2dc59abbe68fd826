export interface Page<Data extends object> {
  readonly template: string
  /** Never set: makes pages with different data different types. */
  readonly takes?: (data: Data) => void
}

export function page<Data extends object>(template: string): Page<Data> {
  return { template }
}

export interface Part<Args extends unknown[]> {
  template: string
  load: (...args: Args) => object
}

export function part<Data extends object, Args extends unknown[]>(
  { template }: Page<Data>,
  load: (...args: Args) => NoInfer<Data>,
): Part<Args> {
  return { template, load }
}
