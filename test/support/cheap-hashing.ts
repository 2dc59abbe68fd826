import argon2 from 'argon2'

// A hash as the service makes it takes a third of a second; test/start.test.ts looks at one that it made.
const { hash } = argon2
argon2.hash = ((password: string, options: object) =>
  hash(password, { memoryCost: 1024, timeCost: 2, parallelism: 1, ...options })) as typeof argon2.hash
