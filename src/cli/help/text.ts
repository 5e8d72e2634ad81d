import { Help } from 'commander';
import type { HelpPage } from './page.js';

const COLUMNS = 80;
/** A longer term gets its own line. */
const LONGEST_TERM = 28;

/** A page as text: at most 80 columns, unless a word or an example is longer. */
export function pageText(page: HelpPage): string {
  const help = new Help();
  help.prepareContext({ helpWidth: COLUMNS });
  const list = (title: string, pairs: readonly (readonly [term: string, meaning: string])[]) => {
    const width = Math.max(0, ...pairs.map(([term]) => term.length).filter((one) => one <= LONGEST_TERM));
    const items = pairs.flatMap(([term, meaning]) =>
      term.length > LONGEST_TERM
        ? [`  ${term}`, help.formatItem('', width, meaning, help)]
        : [help.formatItem(term, width, meaning, help)],
    );
    return help.formatItemList(title, items, help);
  };
  const lines = (title: string, items: readonly string[]) =>
    help.formatItemList(
      title,
      items.map((item) => `  ${item}`),
      help,
    );
  const groups = [...new Set(page.commands.map(({ group = 'Commands' }) => group))];
  return [
    `Usage: ${page.usage}`,
    '',
    help.boxWrap(page.description, COLUMNS),
    '',
    ...groups.flatMap((title) => {
      const commands = page.commands.filter(({ group = 'Commands' }) => group === title);
      return list(
        `${title}:`,
        commands.map(({ name, summary }) => [name, summary]),
      );
    }),
    ...list(
      'Options:',
      page.options.map(({ flags, description }) => [flags, description]),
    ),
    ...list(
      'Environment:',
      page.environment.map(({ name, meaning }) => [name, meaning]),
    ),
    ...list(
      'Files:',
      page.files.map(({ path, holds }) => [path, holds]),
    ),
    ...list(
      'Exit codes:',
      page.exit_status.map(({ code, meaning }) => [code, meaning]),
    ),
    ...lines('Examples:', page.examples),
    ...lines('See also:', page.see_also),
  ]
    .join('\n')
    .trimEnd();
}
