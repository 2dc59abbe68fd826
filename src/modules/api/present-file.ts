import { publicUrl } from '../../web/http.ts'
import type { Viewer } from './present-fields.ts'

export interface FileJson {
  key: string
  name: string
  /** Where whoever may see the record downloads it. */
  url: string
}

export function presentFile({ server }: Viewer, key: string, name: string): FileJson {
  return { key, name, url: publicUrl(server, `/api/v1/files/${key}?${new URLSearchParams({ name })}`) }
}
