/** What of pdfmake is used here: types that others publish for it bring those of browsers into the whole project. */
declare module 'pdfmake' {
  type Alignment = 'left' | 'center' | 'right'

  interface Style {
    font?: string
    fontSize?: number
    lineHeight?: number
    bold?: boolean
    color?: string
    alignment?: Alignment
    /** Points: left, top, right, bottom. */
    margin?: [number, number, number, number]
    noWrap?: boolean
    wordBreak?: 'normal' | 'break-all'
  }

  interface Block extends Style {
    width?: number | 'auto' | '*'
    unbreakable?: boolean
    pageBreak?: 'before'
  }

  interface TableLayout {
    hLineWidth(): number
    vLineWidth(): number
    hLineColor(): string
    vLineColor(): string
    paddingLeft(): number
    paddingRight(): number
    paddingTop(): number
    paddingBottom(): number
  }

  interface Table {
    headerRows?: number
    dontBreakRows?: boolean
    widths: (number | 'auto' | '*')[]
    body: Content[][]
  }

  interface Line {
    type: 'line'
    x1: number
    y1: number
    x2: number
    y2: number
    lineWidth: number
  }

  export type Content =
    | string
    | (Block & { text: string | Content[] })
    | (Block & { stack: Content[] })
    | (Block & { columns: Content[]; columnGap: number })
    | (Block & { table: Table; layout: TableLayout | 'noBorders' })
    | (Block & { image: string; fit: [number, number] })
    | (Block & { svg: string; fit: [number, number] })
    | (Block & { canvas: Line[] })

  interface Definition {
    content: Content[]
    pageSize: 'A4'
    pageMargins: [number, number, number, number]
    defaultStyle: Style
    info: { title: string }
    language?: string
    footer: (page: number, pages: number) => Content
  }

  const pdfmake: {
    setFonts(fonts: Record<string, { normal: string; bold: string }>): void
    setLocalAccessPolicy(mayRead: (path: string) => boolean): void
    setUrlAccessPolicy(mayFetch: (url: string) => boolean): void
    createPdf(definition: Definition): { getBuffer(): Promise<Uint8Array> }
  }

  export type { TableLayout }
  export default pdfmake
}
