export const documents = {
  contract: pdf('Supply contract', ['Supplier: the plant', 'Buyer: the dealer', 'Payment: within 10 days after the invoice']),
  appendix: pdf('Appendix 1: terms of delivery', ['Delivery to the address or by a freight carrier', 'Claims: within 14 days']),
  specification: pdf('Specification', ['Products, quantities and prices as in the order', 'Production: 7 working days after payment']),
  invoice: pdf('Invoice', ['Amount as in the order', 'Payment by bank transfer']),
  payment_order: pdf('Payment order', ['Paid in full']),
}

export type DocumentName = keyof typeof documents

/** A PDF of one page; its fonts know Latin letters only. */
function pdf(title: string, lines: string[]): string {
  const text = [...lines, '', 'A sample document: nothing in it is real.'].map((line) => `(${line}) Tj T*`).join('\n')
  const content = `BT /F1 22 Tf 72 760 Td (${title}) Tj /F1 12 Tf 22 TL 0 -48 Td\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const offsets: number[] = []
  let file = '%PDF-1.4\n'
  for (const [index, object] of objects.entries()) {
    offsets.push(file.length)
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return `${file}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}
