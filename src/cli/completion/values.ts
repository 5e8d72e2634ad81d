import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from '../../config/settings.js';
import { flagsOf, SETTINGS } from '../../config/settings.js';
import { FAIL_ON } from '../commands/exec/findings.js';
import { TEST_RUNNERS } from '../commands/init/choices.js';
import { EVENT_PATTERNS } from '../program/shared-options.js';
import { packageFolder } from '../program/package-folder.js';
import { assumption } from './assumption.js';
import type { Typist } from './running.js';
import { SHELLS } from './shells.js';
import type { Values, ValueSource } from './sources.js';
import { files, folders, rows, several, words } from './sources.js';

/** The files of a folder of our fixtures, by their names without `.json`. */
function fixtures(...folder: readonly string[]): readonly string[] {
  const path = join(packageFolder(), 'fixtures', ...folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.json') && !name.endsWith('.schema.json'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();
}

/**
 * What stands where, by the name of an argument or the flags of an option; before it may stand the command, or the first word
 * of a group. A name alone is also that of an option's value: `file` of `--headers <file>`. What is not here is free text.
 */
export const VALUES: Readonly<Record<string, ValueSource>> = {
  file: files,
  dir: folders,
  'exec command': files,
  'fixtures name': () => {
    const names = ['events', 'signatures'].flatMap((folder) => fixtures(folder));
    return { candidates: names.map((value) => ({ value, description: '' })) };
  },
  'run files': () => {
    const names = fixtures('scenarios').map((value) => ({ value, description: 'built in' }));
    return { candidates: names, paths: 'files' };
  },
  'completion shell': words(SHELLS),
  'sign method': words(['POST', 'GET', 'PUT', 'PATCH', 'DELETE']),
  '--app <app>': rows('apps'),
  '--events <types>': several(EVENT_PATTERNS),
  '--test <runner>': words(TEST_RUNNERS),
  '--simulate <steps>': several(['500', 'timeout', 'reset', 'slow:3s', 'lost', 'ok']),
  '--fail-on <kinds>': several(FAIL_ON),
  ...Object.fromEntries(SETTINGS.flatMap(settingSource)),
};

function settingSource(setting: Setting): [string, ValueSource][] {
  const { kind, choices } = setting;
  if (kind === 'assumptions') return [[flagsOf(setting), assumption]];
  if (kind === 'path') return [[flagsOf(setting), folders]];
  return choices === undefined ? [] : [[flagsOf(setting), words(choices)]];
}

/** What may stand at an argument, or as the value of an option, of a command; nothing is known of free text. */
export async function valuesAt(
  { command, name }: { readonly command: string; readonly name: string },
  typist: Typist,
  typed: string,
): Promise<Values> {
  const [group] = command.split(' ');
  const kind = name.replace(/^.*<@?|>$/g, '');
  const places = [`${command} ${name}`, `${group} ${name}`, name, kind];
  const key = places.find((key) => Object.hasOwn(VALUES, key));
  const source = key === undefined ? undefined : VALUES[key];
  return (await source?.(typist, typed)) ?? { candidates: [] };
}
