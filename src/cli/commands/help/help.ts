import { oneOfOrUsage } from '../../program/closest.js';
import { commandPage, groupPage, overviewPage, pageText } from '../../help/page.js';
import type { HelpPage } from '../../help/page.js';
import type { CommandBody } from '../../program/io.js';
import type { CommandTable } from '../../tables/table-help.js';

/** `sandbox help [command…]`: the page about a command, a group, or everything. */
export function help(table: CommandTable): CommandBody {
  return ({ io, args }) => {
    const page = pageOf(args, table);
    io.emit(page);
    io.say(pageText(page));
    return Promise.resolve();
  };
}

function pageOf(words: readonly string[], table: CommandTable): HelpPage {
  const { commands, groups } = table;
  if (words.length === 0) return overviewPage(table);
  const [first = ''] = words;
  const names = [...Object.keys(groups), ...commands.map(({ name }) => name)];
  const isHere = Object.hasOwn(groups, first)
    ? (name: string) => name.split(' ')[0] === first
    : (name: string) => !name.includes(' ');
  const name = oneOfOrUsage('command', words.join(' '), names.filter(isHere));
  const spec = commands.find((one) => one.name === name);
  return spec === undefined ? groupPage(name, table) : commandPage(spec, table);
}
