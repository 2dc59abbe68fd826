import type { Entry, Field, FormPage } from './form.ts'
import type { SubmittedForm } from './read-value.ts'

/** Reads images in the submitted order: `images[0][stored]` names a stored one, `images[stored]` a new one. */
export function readImages(entry: Entry, name: string, field: Field, page: FormPage, sent: SubmittedForm): void {
  const keys = submittedKeys(name, sent.body)
  const problem = problemOf(name, sent)
  const marked = sent.body.has(name)
  if (!marked && keys.length === 0 && !problem) return
  const present = (page.present[name] ?? []) as string[]
  const known = keys.filter((key) => present.includes(key) || sent.uploaded(key, field.kind))
  const left = marked ? [] : present.filter((key) => !keys.includes(key))
  const images = [...left, ...known]
  const max = field.max ?? 0
  entry.rows[name] = images.map((key, index) => ({ index: String(index), key }))
  entry.values[name] = images
  if (problem) entry.errors[name] = problem
  else if (known.length < keys.length) entry.errors[name] = { message: 'File not found. Choose it again.' }
  else if (images.length > max) entry.errors[name] = { message: 'Up to {max} images.', params: { max } }
}

function submittedKeys(name: string, body: URLSearchParams): string[] {
  const places = new Map<string, string>()
  let added = 0
  for (const [input, key] of body) {
    if (!input.startsWith(`${name}[`)) continue
    const index = /^\[(\d{1,4})\]\[stored\]$/.exec(input.slice(name.length))?.[1]
    if (index !== undefined) places.set(index, key)
    else if (input === `${name}[stored]`) places.set(`new ${added++}`, key)
  }
  return [...new Set([...places.values()].filter(Boolean))]
}

function problemOf(name: string, { uploadErrors }: SubmittedForm) {
  return Object.entries(uploadErrors).find(([input]) => input.startsWith(`${name}[`))?.[1]
}
