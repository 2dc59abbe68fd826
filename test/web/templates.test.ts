import t from 'tap'
import { declaredNames, needsOf, templateNames } from '../support/templates.ts'

t.test('templates and the variables declared for them', async (t) => {
  const { pages, context, globals } = declaredNames()

  t.test('every template is a page or used by one', async (t) => {
    const reached = new Set([...pages.keys()].flatMap((page) => [...needsOf(page).templates]))
    t.same(
      templateNames.filter((name) => !reached.has(name)),
      [],
    )
    t.same(
      [...reached].filter((name) => !templateNames.includes(name)),
      [],
    )
  })

  t.test('a page declares every variable that its template uses', async (t) => {
    for (const [name, data] of pages) {
      const provided = new Set([...data, ...context, ...globals])
      t.same(
        [...needsOf(name).variables].filter((variable) => !provided.has(variable)),
        [],
        name,
      )
    }
  })

  t.test('a template that another renders gets every variable that it uses', async (t) => {
    const missing = templateNames.flatMap((name) => [...needsOf(name).notPassed].map((one) => `${name} renders ${one}`))
    t.same(
      missing.filter((one) => ![...globals].some((name) => one.endsWith(`: ${name}`))),
      [],
    )
  })

  t.test('a macro uses only its parameters and global variables', async (t) => {
    for (const name of templateNames)
      t.same(
        [...needsOf(name).macroVariables].filter((variable) => !globals.has(variable)),
        [],
        name,
      )
  })
})
