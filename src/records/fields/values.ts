import type { BaseField } from './kind.ts'

type FieldSet = Partial<Record<string, BaseField>>

type Held<F> = F extends { readonly holds?: infer T } ? Exclude<T, undefined> : never

/** The type of what a declared field holds. */
export type ValueOf<F extends BaseField> = IsOneOf<F['required'], true> extends true ? NonNullable<Held<F>> : Held<F>

export type StoredKeys<S extends FieldSet> = KeysWhere<{ [K in keyof S]-?: IsOneOf<Held<NonNullable<S[K]>>, never> }, false>
export type RequiredKeys<S extends FieldSet> = KeysWhere<
  { [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['required'], true | 'create'> },
  true
>
export type KeysOnly<S extends FieldSet, M> = KeysWhere<{ [K in keyof S]-?: IsOneOf<NonNullable<S[K]>['only'], M> }, true>
type KeysWhere<S, V> = { [K in keyof S]-?: S[K] extends V ? K : never }[keyof S]
type IsOneOf<T, V> = [T] extends [undefined] ? ([V] extends [never] ? true : false) : [T] extends [V | undefined] ? true : false
