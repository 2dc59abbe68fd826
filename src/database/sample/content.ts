import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'node:path'

// The compiled program reads it from the sources.
const folder = new URL('../../../src/database/sample/content/', import.meta.url)

export function readContent<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
}

export function readContentFiles(name: 'pictures' | 'portraits' | 'documents'): [name: string, content: Buffer][] {
  const files = new URL(`${name}/`, folder)
  return readdirSync(files).map((file) => [parse(file).name, readFileSync(new URL(file, files))])
}

export interface SampleFiles {
  pictures: Record<string, string>
  portraits: Record<string, string>
  documents: Record<string, { key: string; name: string; type: string; size: number }>
}

export const noFiles: SampleFiles = { pictures: {}, portraits: {}, documents: {} }
