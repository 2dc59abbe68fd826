/** `npm run torture` runs some tests of `npm test` again, with all of their cases. */
export const isFull = process.env.FULL === 'yes'
