import type { HelpPage } from '../../help/page.js';
import { commandPage, groupPage, overviewPage, pageText } from '../../help/page.js';
import { closeOnes, mistakesBetween, nearest } from '../../../text/closest.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf } from '../../program/declaration.js';
import { allCommands } from '../table.js';
import type { help } from './command.js';

/** More suggestions would not be read. */
const MOST = 3;

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
  const isGroup = folders.get(first)?.about !== undefined;
  const all = [...new Set([...folders.keys(), ...commands.map(({ name }) => name)])];
  const near = all.filter((name) => (isGroup ? name.split(' ')[0] === first : !name.includes(' ')));
  const text = words.join(' ');
  const name = all.includes(text)
    ? text
    : oneOfOrUsage('command', text, near, () => meant(text, isGroup ? near : all, near));
  const command = commands.find((one) => one.name === name);
  return command === undefined ? groupPage(name, table) : commandPage(command, table);
}

/** The commands that a text probably means: the one that it begins with, close ones, or else the nearest. */
function meant(text: string, names: readonly string[], near: readonly string[]): readonly string[] {
  const [first = '', second] = text.split(' ');
  const isAlone = !names.some((name) => name.startsWith(`${first} `));
  if (second !== undefined && isAlone && names.includes(first)) return [first];
  const ways = [
    closeOnes(text, names),
    nearest(text, names, (name) => mistakesIn(text, name)),
    text === '' ? [] : nearest(text, near, (name) => mistakesBetween(text, name), Infinity),
  ];
  return ways.find((way) => way.length > 0)?.slice(0, MOST) ?? [];
}

/** In the whole name or in its last word, which may be typed alone. */
function mistakesIn(text: string, name: string): number {
  const word = name.split(' ').at(-1) ?? '';
  return Math.min(mistakesBetween(text, name), mistakesBetween(text, word));
}
