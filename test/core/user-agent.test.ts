import t from 'tap'
import { describeUserAgent } from '../../src/core/user-agent.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit}`
const android = `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${webKit}`
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

t.test('a browser and its system are named, whatever other ones they claim to be like', async (t) => {
  const known: Record<string, string> = {
    [`${windows} Chrome/130.0.0.0 Safari/537.36`]: 'Chrome · Windows',
    [`${windows} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`]: 'Edge · Windows',
    [`${windows} Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36`]: 'Yandex · Windows',
    [`${windows} Chrome/129.0.0.0 Safari/537.36 OPR/115.0.0.0`]: 'Opera · Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0': 'Firefox · Windows',
    [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`]: 'Safari · macOS',
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/130.0.0.0 Safari/537.36`]: 'Chrome · ChromeOS',
    'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0': 'Firefox · Linux',
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/130.0.0.0 Safari/537.36`]: 'Chrome · Linux',
    [`${android} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`]: 'Samsung · Android',
    [`${android} Chrome/130.0.0.0 Mobile Safari/537.36 EdgA/130.0.0.0`]: 'Edge · Android',
    [`${phone} Version/18.1 Mobile/15E148 Safari/604.1`]: 'Safari · iPhone',
    [`${phone} CriOS/130.0.0.0 Mobile/15E148 Safari/604.1`]: 'Chrome · iPhone',
    [`${phone} FxiOS/131.0 Mobile/15E148 Safari/604.1`]: 'Firefox · iPhone',
    [`${phone.replaceAll('iPhone', 'iPad')} EdgiOS/130.0.0.0 Version/18.0 Mobile/15E148 Safari/604.1`]: 'Edge · iPad',
    'curl/8.5.0': '',
  }
  for (const [userAgent, described] of Object.entries(known)) t.equal(describeUserAgent(userAgent), described, userAgent)
})
