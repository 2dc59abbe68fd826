interface PaymentDetails {
  legal_name: string | null
  rs: string | null
  bank: string | null
  bik: string | null
  cs: string | null
  inn: string | null
  kpp: string | null
}

/**
 * What apps of banks read from the code of an invoice (GOST R 56042-2014).
 * @param kopecks what is to be paid
 * @returns undefined where something that the standard requires is not known
 */
export function paymentQr(payee: PaymentDetails, { kopecks, purpose }: { kopecks: number; purpose: string }): string | undefined {
  const required = { Name: payee.legal_name, PersonalAcc: payee.rs, BankName: payee.bank, BIC: payee.bik, CorrespAcc: payee.cs }
  if (Object.values(required).some((value) => !value)) return undefined
  const said = { ...required, Sum: String(kopecks), Purpose: purpose, PayeeINN: payee.inn, KPP: payee.kpp }
  const fields = Object.entries(said).flatMap(([name, value]) => (value ? `${name}=${fitted(name, plain(value))}` : []))
  return [utf8, ...fields].join('|')
}

/** In one line, with spaces that programs of banks know, and without what separates fields. */
const plain = (value: string) => value.replace(/[\s|]+/g, ' ')

/** What the standard leaves room for. */
const longest: Partial<Record<string, number>> = { Name: 160, BankName: 45, Purpose: 210 }

const fitted = (name: string, value: string) => [...value].slice(0, longest[name]).join('').trimEnd()

const utf8 = 'ST00012'
