// Every kind of field that a form can be declared with.
export * from './fields/choices.ts'
export * from './fields/field.ts'
export * from './fields/files.ts'
export * from './fields/numbers.ts'
export * from './fields/passwords.ts'
export * from './fields/repeater.ts'
export * from './fields/texts.ts'
export * from './fields/times.ts'
