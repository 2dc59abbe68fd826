/** A template with the type of what it takes beside what every page knows. Each template is declared so once. */
export interface Page<Data extends object> {
  readonly template: string
  /** For the compiler only: what sets one page apart from another. */
  readonly takes?: (data: Data) => void
}

export function page<Data extends object>(template: string): Page<Data> {
  return { template }
}

/** A template that another one includes, with what loads its data. */
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
