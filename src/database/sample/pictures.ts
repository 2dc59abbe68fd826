/** Pictures of the demo news, drawn for this project; part of it and under its license. */
export const pictures = {
  cabinet: scene(
    ['#1e3a8a', '#38bdf8'],
    circle(1320, 180, 260, '#fff', 0.08) +
      circle(220, 860, 340, '#fff', 0.07) +
      rect(330, 210, 940, 590, '#0f172a', 28) +
      rect(362, 242, 876, 526, '#f8fafc', 10) +
      rect(362, 242, 190, 526, '#e2e8f0') +
      row(6, (n) => rect(392, 290 + n * 62, n === 1 ? 130 : 100 - (n % 3) * 14, 16, n === 1 ? '#2563eb' : '#94a3b8', 8)) +
      row(
        3,
        (n) =>
          rect(590 + n * 210, 280, 186, 120, '#fff', 10) +
          rect(612 + n * 210, 304, 70, 14, '#94a3b8', 7) +
          rect(612 + n * 210, 336, 120, 30, ['#2563eb', '#16a34a', '#f59f00'][n] as string, 8),
      ) +
      row(
        5,
        (n) =>
          rect(590, 432 + n * 62, 606, 46, '#fff', 8) +
          circle(620, 455 + n * 62, 9, ['#2563eb', '#f59f00', '#16a34a', '#ae3ec9', '#2563eb'][n] as string) +
          rect(650, 448 + n * 62, 220 + ((n * 70) % 150), 14, '#cbd5e1', 7) +
          rect(1080, 448 + n * 62, 90, 14, '#64748b', 7),
      ) +
      rect(250, 800, 1100, 34, '#334155', 17),
  ),
  gates: scene(
    ['#7dd3fc', '#e0f2fe'],
    circle(1330, 190, 90, '#fde68a') +
      shape('M0 640 L380 420 L700 600 L1000 380 L1600 660 V1000 H0Z', '#86a98f') +
      rect(240, 330, 1120, 500, '#f5f1ea') +
      shape('M180 340 L800 120 L1420 340Z', '#7c2d12') +
      rect(430, 440, 740, 390, '#374151') +
      row(5, (n) => rect(440, 450 + n * 76, 720, 68, '#4b5563', 4) + rect(440, 480 + n * 76, 720, 5, '#374151')) +
      row(4, (n) => rect(480 + n * 170, 536, 130, 40, '#bae6fd', 6)) +
      rect(270, 480, 110, 150, '#bae6fd', 6) +
      rect(1220, 480, 110, 150, '#bae6fd', 6) +
      shape('M0 830 H1600 V1000 H0Z', '#6b8f71') +
      shape('M430 830 H1170 L1400 1000 H200Z', '#9ca3af'),
  ),
  windows: scene(
    ['#f1e4d1', '#d9c3a5'],
    rect(240, 110, 1120, 720, '#fff', 12) +
      rect(280, 150, 500, 640, '#93c5fd') +
      rect(820, 150, 500, 640, '#93c5fd') +
      row(2, (n) => shape(`M${280 + n * 540} 590 q125 -190 250 -60 t250 -50 V790 H${280 + n * 540}Z`, '#4d7c5a')) +
      circle(1160, 280, 70, '#fef3c7') +
      row(2, (n) => shape(`M${330 + n * 540} 150 h120 L${280 + n * 540} 470 v-170Z`, '#fff', 0.35)) +
      rect(766, 430, 14, 90, '#cbd5e1', 7) +
      rect(820, 430, 14, 90, '#cbd5e1', 7) +
      rect(180, 830, 1240, 50, '#fff', 10) +
      rect(1080, 700, 120, 130, '#c2410c', 12) +
      row(5, (n) => shape(`M1140 700 q${-120 + n * 60} -110 ${-100 + n * 50} -210 q${30 - n * 12} 110 ${100 - n * 50} 210`, '#3f7d4e')),
  ),
  frost: scene(
    ['#0f2747', '#5b7fae'],
    row(40, (n) => circle((n * 397) % 1600, (n * 263) % 900, 3 + (n % 4) * 2, '#fff', 0.75)) +
      rect(330, 140, 940, 700, '#8b5e3c') +
      row(9, (n) => rect(330, 140 + n * 78, 940, 6, '#744b2d')) +
      shape('M560 840 L640 250 H960 L1040 840Z', '#fde68a', 0.35) +
      rect(610, 230, 380, 610, '#1f2937', 8) +
      rect(640, 260, 320, 580, '#334155', 6) +
      rect(690, 320, 70, 380, '#fde68a', 10) +
      rect(900, 540, 22, 120, '#e5e7eb', 11) +
      shape('M540 230 L800 110 L1060 230Z', '#e8eef7') +
      circle(1120, 380, 42, '#fde68a') +
      circle(1120, 380, 110, '#fde68a', 0.2) +
      shape('M0 850 q200 -70 420 -20 t520 -10 t660 -10 V1000 H0Z', '#eef4fb'),
  ),
  warehouse: scene(
    ['#475569', '#1e293b'],
    row(3, (n) => rect(90, 210 + n * 210, 760, 18, '#f97316')) +
      row(4, (n) => rect(90 + n * 247, 120, 18, 720, '#ea580c')) +
      row(
        9,
        (n) =>
          rect(130 + (n % 3) * 247, 90 + Math.floor(n / 3) * 210, 90, 120, '#d6a871', 6) +
          rect(230 + (n % 3) * 247, 130 + Math.floor(n / 3) * 210, 76, 80, '#b98a56', 6),
      ) +
      rect(0, 840, 1600, 160, '#334155') +
      rect(930, 360, 400, 400, '#f8fafc', 14) +
      rect(930, 520, 400, 60, '#2563eb') +
      shape('M1330 480 h120 l80 140 v140 h-200Z', '#e2e8f0') +
      shape('M1360 510 h76 l56 110 h-132Z', '#7dd3fc') +
      rect(900, 750, 640, 26, '#0f172a', 8) +
      row(
        3,
        (n) => circle([1010, 1200, 1450][n] as number, 790, 62, '#0f172a') + circle([1010, 1200, 1450][n] as number, 790, 28, '#94a3b8'),
      ),
  ),
  training: scene(
    ['#0c4a6e', '#0369a1'],
    row(20, (n) => rect(n * 84, 0, 2, 1000, '#fff', 0, 0.09)) +
      row(12, (n) => rect(0, n * 84, 1600, 2, '#fff', 0, 0.09)) +
      strokedPath(
        'M300 260 H900 V780 H300Z M300 364 H900 M300 468 H900 M300 572 H900 M300 676 H900 M260 220 V820 M240 260 H280 M240 780 H280 M300 850 H900 M300 830 V870 M900 830 V870',
      ) +
      strokedPath('M900 260 h220 a60 60 0 0 1 60 60 v460 M1080 300 h120 v70 h-120Z') +
      row(8, (n) => `<rect x="1196" y="470" width="48" height="310" rx="14" fill="#fbbf24" transform="rotate(${n * 45} 1220 625)"/>`) +
      circle(1220, 625, 120, '#fbbf24') +
      circle(1220, 625, 56, '#075985'),
  ),
  prices: scene(
    ['#064e3b', '#10b981'],
    circle(1400, 150, 320, '#fff', 0.07) +
      row(5, (n) => rect(200, 240 + n * 130, 1200, 3, '#fff', 0, 0.2)) +
      row(7, (n) => rect(250 + n * 165, 720 - n * 62 - (n % 2) * 40, 100, 80 + n * 62 + (n % 2) * 40, '#ecfdf5', 12, 0.35 + n * 0.09)) +
      shape(
        'M240 660 L470 560 L640 600 L980 380 L1120 430 L1330 220 L1290 200 L1420 150 L1410 290 L1370 255 L1130 490 L985 440 L648 662 L468 620 L262 706Z',
        '#fde047',
      ) +
      rect(200, 800, 1200, 8, '#ecfdf5', 4),
  ),
  celebration: scene(
    ['#4c1d95', '#db2777'],
    row(26, (n) => circle((n * 311) % 1600, (n * 197) % 1000, 20 + ((n * 13) % 60), '#fff', 0.06)) +
      row(
        36,
        (n) =>
          `<rect x="${(n * 443) % 1600}" y="${(n * 151) % 760}" width="26" height="12" rx="3" fill="${['#fde047', '#67e8f9', '#f9a8d4', '#a7f3d0'][n % 4]}" transform="rotate(${n * 37} ${(n * 443) % 1600} ${(n * 151) % 760})"/>`,
      ) +
      row(
        5,
        (n) =>
          strokedPath(`M${400 + n * 200} ${420 + (n % 2) * 90} Q${380 + n * 210} 720 800 960`, '#fff', 3) +
          `<ellipse cx="${400 + n * 200}" cy="${320 + (n % 2) * 90}" rx="92" ry="114" fill="${['#fbbf24', '#22d3ee', '#fb7185', '#a3e635', '#f472b6'][n]}"/>` +
          `<ellipse cx="${370 + n * 200}" cy="${280 + (n % 2) * 90}" rx="20" ry="32" fill="#fff" opacity=".5"/>`,
      ),
  ),
}

export type PictureName = keyof typeof pictures

function scene([top, bottom]: [string, string], content: string): string {
  const sky = `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1000">`
  return `${svg}<defs>${sky}</defs><rect width="1600" height="1000" fill="url(#sky)"/>${content}</svg>`
}

function row(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join('')
}

function rect(x: number, y: number, width: number, height: number, fill: string, radius = 0, opacity = 1): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" opacity="${opacity}"/>`
}

function circle(x: number, y: number, radius: number, fill: string, opacity = 1): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" opacity="${opacity}"/>`
}

function shape(path: string, fill: string, opacity = 1): string {
  return `<path d="${path}" fill="${fill}" opacity="${opacity}"/>`
}

function strokedPath(path: string, color = '#e0f2fe', width = 6): string {
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round"/>`
}
