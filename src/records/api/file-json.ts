import { publicUrl } from '../../http/request/addresses.ts'
import type { Viewer } from './fields-json.ts'

export interface FileJson {
  key: string
  name: string
  /** Where whoever may see the record downloads it. */
  url: string
}

export function jsonOfFile({ server }: Viewer, key: string, name: string): FileJson {
  return { key, name, url: publicUrl(server, `/api/v1/files/${key}?${new URLSearchParams({ name })}`) }
}
