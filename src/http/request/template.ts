export interface Template<Data extends object> {
  readonly template: string
  /** Never set: makes pages with different data different types. */
  readonly takes?: (data: Data) => void
}

export function template<Data extends object>(template: string): Template<Data> {
  return { template }
}

export interface Fragment<Args extends unknown[]> {
  template: string
  load: (...args: Args) => object
}

export function fragment<Data extends object, Args extends unknown[]>(
  { template }: Template<Data>,
  load: (...args: Args) => NoInfer<Data>,
): Fragment<Args> {
  return { template, load }
}

/** What `render` of a template takes. */
export interface RenderedFragment {
  template: string
  data: object
}

export function loadFragment<Args extends unknown[]>({ template, load }: Fragment<Args>, ...args: Args): RenderedFragment {
  return { template, data: load(...args) }
}
