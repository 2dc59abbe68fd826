import { makeRandom } from './random.ts'

const backgrounds = ['#bfdbfe', '#fde68a', '#bbf7d0', '#fecaca', '#ddd6fe', '#a5f3fc', '#fed7aa', '#e2e8f0']
const skins = ['#f8d5b8', '#f1c6a5', '#e3ae86', '#fbe0c8']
const hairs = ['#2b1d14', '#5b3a21', '#8a5a2b', '#c59a55', '#6b7280', '#1f2937', '#7c2d12']
const shirts = ['#1d4ed8', '#0f766e', '#7c3aed', '#b91c1c', '#334155', '#0369a1', '#4d7c0f']

/** The women are drawn at even places. */
export const isWomansPortrait = (index: number) => index % 2 === 0

/** Portraits of people who do not exist, drawn for this project: women and men in turn. */
export const portraits: string[] = Array.from({ length: 28 }, (_, index) => portrait(index))

function portrait(index: number): string {
  const random = makeRandom(7000 + index)
  const [background, skin, hair, shirt] = [backgrounds, skins, hairs, shirts].map((colors) => random.pick(colors))
  const long = `<path d="M82 150 C74 40 246 40 238 150 L${random.pick([240, 246])} ${random.integer(205, 262)} H${random.pick([74, 80])}Z" fill="${hair}"/>`
  const beard = `<path d="M106 158 C110 240 210 240 214 158 C200 178 185 172 160 172 C135 172 120 178 106 158Z" fill="${hair}"/>`
  const fringes = [
    'M100 146 C92 60 228 60 220 146 C206 112 176 104 148 108 C124 110 110 122 100 146Z',
    'M102 132 C104 62 216 62 218 132 C190 104 130 104 102 132Z',
    'M98 150 C84 64 196 44 222 106 C228 124 222 140 220 148 C206 118 150 132 98 150Z',
  ]
  const glasses =
    '<g fill="none" stroke="#1f2937" stroke-width="4"><circle cx="138" cy="148" r="17"/><circle cx="182" cy="148" r="17"/><path d="M155 148h10"/></g>'
  const woman = isWomansPortrait(index)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320"><rect width="320" height="320" fill="${background}"/>${woman ? long : ''}
<path d="M36 330 C40 250 110 236 160 236 C210 236 280 250 284 330Z" fill="${shirt}"/><path d="M134 196 h52 v44 q-26 26 -52 0Z" fill="${skin}"/>
<ellipse cx="160" cy="150" rx="58" ry="68" fill="${skin}"/>${!woman && random.chance(0.4) ? beard : ''}<path d="${random.pick(fringes)}" fill="${hair}"/>
<g fill="#1f2937"><circle cx="138" cy="148" r="6"/><circle cx="182" cy="148" r="6"/></g><path d="M140 184 q20 16 40 0" fill="none" stroke="#9a3412" stroke-width="5" stroke-linecap="round"/>
${random.chance(0.3) ? glasses : ''}</svg>`
}
