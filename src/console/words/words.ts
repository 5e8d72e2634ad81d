import { EN } from './en.js';

type Same<Value> = Value extends string
  ? string
  : Value extends (...args: never[]) => unknown
    ? Value
    : { readonly [Name in keyof Value]: Same<Value[Name]> };

/** What the console says, in one language. */
export type Words = Same<typeof EN>;

/** The words for a browser's languages, in their order. */
export function wordsFor(languages: readonly string[]): Words {
  void languages;
  return EN;
}
