import type { HelpPage } from '../../help/page.js';
import { commandPage, groupPage, overviewPage, pageText } from '../../help/page.js';

import { meantCommands, oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { asCalled } from '../../../text/program-name.js';
import { allMarkdown, commandMarkdown, groupMarkdown } from '../../help/markdown.js';
import { overviewText } from '../../help/overview.js';
import type { CommandTable } from '../table.js';
import { commandsFor } from '../table.js';
import type { help } from './command.js';

export const showHelp: BodyOf<typeof help> = async ({ io, args, options }) => {
  const { all, format } = options;
  if (all && args.command.length > 0) {
    throw usageError(
      'help takes a command or --all, not both.',
      `Leave out --all, or ${args.command.join(' ')}.`,
    );
  }
  const table = await commandsFor();
  const name = args.command.length === 0 ? undefined : nameOf(args.command, table);
  const called = (text: string) => asCalled(text, io.program);
  const pages = all ? { pages: table.commands.map((command) => commandPage(command, table)) } : {};
  const page = { ...pageOf(name, table, all), ...pages };
  const calledPage = JSON.parse(called(JSON.stringify(page))) as HelpPage;
  io.emit(calledPage);
  if (format === 'markdown') io.say(called(markdownOf(name, table)));
  else if (name === undefined && !all) io.say(overviewText(io.program));
  else io.say(pageText(calledPage));
};

function pageOf(name: string | undefined, table: CommandTable, all: boolean): HelpPage {
  if (name === undefined) return overviewPage(table, all);
  const command = table.commands.find((one) => one.name === name);
  return command === undefined ? groupPage(name, table) : commandPage(command, table);
}

function markdownOf(name: string | undefined, table: CommandTable): string {
  if (name === undefined) return allMarkdown(table);
  const command = table.commands.find((one) => one.name === name);
  return command === undefined ? groupMarkdown(name, table) : commandMarkdown(command, table);
}

/** The name of the group or command that is meant. Throws a usage error that suggests some. */
function nameOf(words: readonly string[], { folders, commands }: CommandTable): string {
  const [first = ''] = words;
  const isGroup = folders.get(first)?.about !== undefined;
  const all = [...new Set([...folders.keys(), ...commands.map(({ name }) => name)])];
  const text = words.join(' ');
  if (all.includes(text)) return text;
  const near = all.filter((name) => (isGroup ? name.split(' ')[0] === first : !name.includes(' ')));
  const suggest = () =>
    near.includes(first) && !isGroup ? [first] : meantCommands(text, isGroup ? near : all);
  return oneOfOrUsage('command', text, near, suggest);
}
