// `npm run doctor`: checks an installation and says what to do, with or without a running service.
import { runChecks } from '../doctor/checks.ts'
import { answerHelp } from './command-line.ts'

answerHelp('doctor')
const results = await runChecks(process.env)
for (const { name, problem, detail } of results) console.log(`${problem ? 'PROBLEM' : 'ok     '}  ${name}: ${problem ?? detail}`)
const problems = results.filter(({ problem }) => problem).length
console.log(problems === 0 ? '\nEverything is fine.' : `\n${problems} of ${results.length} checks found a problem.`)
process.exitCode = problems === 0 ? 0 : 1
