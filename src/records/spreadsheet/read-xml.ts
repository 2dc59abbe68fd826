import { SaxesParser } from 'saxes'
import { unreadable } from './sheet-problem.ts'

const depthLimit = 100

export interface XmlHandlers {
  /** Names are without the prefix of their namespace. */
  open?: (name: string, attributes: Record<string, string>) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/** Parses a document; yields after each piece of it. Nothing is expanded but the five entities of XML. */
export async function* readXml(pieces: AsyncIterable<Buffer>, { open, text, close }: XmlHandlers): AsyncGenerator<void> {
  const parser = new SaxesParser()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  const refuse = () => {
    throw unreadable()
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > depthLimit) refuse()
    open?.(withoutPrefix(name), attributes)
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.on('closetag', ({ name }) => {
    depth -= 1
    close?.(withoutPrefix(name))
  })
  for await (const piece of pieces) {
    parser.write(decoder.decode(piece, { stream: true }))
    yield
  }
  parser.write(decoder.decode()).close()
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

/** Collects the text of these elements, but not how it is pronounced. */
export function textReader(names: string[]) {
  let text = ''
  let isReading = false
  let isPhonetic = false
  const mark = (name: string, isOpen: boolean) => {
    if (name === 'rPh') isPhonetic = isOpen
    if (names.includes(name)) isReading = isOpen && !isPhonetic
  }
  return {
    take() {
      const taken = text
      text = ''
      return taken.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    },
    handlers: {
      open: (name: string) => mark(name, true),
      close: (name: string) => mark(name, false),
      text: (part: string) => {
        if (isReading) text += part
      },
    },
  }
}
