/** A text in English and in Portuguese, also as `English | Portuguese`; any other string is the same in both. */
type Text = string | readonly [english: string, portuguese: string];

/** Texts by their names; a function has parameters. */
interface TextTable {
  readonly [name: string]: Text | ((...args: never[]) => Text) | TextTable;
}

/** The texts of a table in one language. */
export type SingleLanguage<Table> = Table extends Text
  ? string
  : Table extends (...args: infer Args) => Text
    ? (...args: Args) => string
    : { readonly [Name in keyof Table]: SingleLanguage<Table[Name]> };

/** Checks a table of texts, and keeps its type. */
export function createTextTable<const Table extends TextTable>(table: Table): Table {
  return table;
}

/** Picks one language of a table: 0 for English, 1 for Portuguese. */
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

/** The English of `English | Portuguese`. */
export function selectEnglish(text: string): string {
  return text.split(' | ')[0] ?? text;
}

/** Makes sentences of the phrases in `English | Portuguese`. */
export function formatSentences(text: string): string {
  return `${text.replaceAll(/(?:^| \| )./gu, (start) => start.toUpperCase()).replace(' | ', '. | ')}.`;
}
