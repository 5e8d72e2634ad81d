import type { HelpPage } from '../../help/page.js';
import { commandPage, groupPage, overviewPage, pageText } from '../../help/page.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf } from '../../program/declaration.js';
import { allCommands } from '../table.js';
import type { help } from './command.js';

export const showHelp: BodyOf<typeof help> = async ({ io, args }) => {
  const page = await pageOf(args.command);
  io.emit(page);
  io.say(pageText(page));
};

async function pageOf(words: readonly string[]): Promise<HelpPage> {
  const table = await allCommands();
  if (words.length === 0) return overviewPage(table);
  const { folders, commands } = table;
  const [first = ''] = words;
  const inGroup = folders.get(first)?.about !== undefined;
  const known = [...folders.keys(), ...commands.map(({ name }) => name)];
  const near = known.filter((name) => (inGroup ? name.split(' ')[0] === first : !name.includes(' ')));
  const name = oneOfOrUsage('command', words.join(' '), [...new Set(near)]);
  const command = commands.find((one) => one.name === name);
  return command === undefined ? groupPage(name, table) : commandPage(command, table);
}
