/**
 * Text in English and Portuguese, as a pair or `English | Portuguese`. Other strings are used for both
 * languages.
 */
type Text = string | readonly [english: string, portuguese: string];

/** Texts by name. Texts with parameters are functions. */
interface TextTable {
  readonly [name: string]: Text | ((...args: never[]) => Text) | TextTable;
}

/** A table's texts in one language. */
export type SingleLanguage<Table> = Table extends Text
  ? string
  : Table extends (...args: infer Args) => Text
    ? (...args: Args) => string
    : { readonly [Name in keyof Table]: SingleLanguage<Table[Name]> };

/** Type-checks a table of texts and preserves its literal type. */
export function createTextTable<const Table extends TextTable>(table: Table): Table {
  return table;
}

/** Selects one language of a table: 0 for English, 1 for Portuguese. */
export function selectLanguage<Table extends TextTable>(
  table: Table,
  language: 0 | 1,
): SingleLanguage<Table> {
  const textOf = (text: Text) => {
    const [english = '', portuguese = english] = typeof text === 'string' ? text.split(' | ') : text;
    return language === 0 ? english : portuguese;
  };
  const entries = Object.entries(table).map(([name, value]) => {
    if (typeof value === 'function') return [name, (...args: never[]) => textOf(value(...args))];
    if (typeof value === 'object' && !Array.isArray(value))
      return [name, selectLanguage(value as TextTable, language)];
    return [name, textOf(value as Text)];
  });
  return Object.fromEntries(entries) as SingleLanguage<Table>;
}

/** Returns the English part of `English | Portuguese`. */
export function selectEnglish(text: string): string {
  return text.split(' | ')[0] ?? text;
}

/** Converts both phrases in `English | Portuguese` to sentences. */
export function formatSentences(text: string): string {
  return `${text.replaceAll(/(?:^| \| )./gu, (start) => start.toUpperCase()).replace(' | ', '. | ')}.`;
}
