import { EN } from './en.js';
import { PT } from './pt.js';

type Same<Value> = Value extends string
  ? string
  : Value extends (...args: never[]) => unknown
    ? Value
    : { readonly [Name in keyof Value]: Same<Value[Name]> };

/** What the console says, in one language. */
export type Words = Same<typeof EN>;

/** The words for a browser's languages, in their order; English where there are none for any of them. */
export function wordsFor(languages: readonly string[]): Words {
  for (const language of languages) {
    const [name] = language.toLowerCase().split('-');
    if (name === 'pt') return PT;
    if (name === 'en') return EN;
  }
  return EN;
}
