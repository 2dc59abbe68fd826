type Step = (...given: unknown[]) => void

/**
 * Takes the steps of an include one after the other, each with what the one before has found.
 * In nunjucks' own way of doing it, V8 sees every page drawn hang on the one before until it looks through all of its memory:
 * garbage of the size of each page piles up, and a fifth of the processor's time goes into carrying it about.
 */
export function waterfall(steps: Step[], done: Step): void {
  const next: Step = (error, ...found) => {
    const step = error ? undefined : steps.shift()
    if (step) step(...found, next)
    else done(error, ...found)
  }
  next(null)
}
