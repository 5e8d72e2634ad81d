import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { allRunFiles } from '../../client/run-file.js';
import type { Setting } from '../../config/settings.js';
import { flagsOf, SETTINGS } from '../../config/settings.js';
import { FAILURE_REASONS } from '../../contract/failure-reasons.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import { CUSTOMER_TYPES } from '../../core/identity/session.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { EVENT_TYPES } from '../../core/world.js';
import { FAIL_ON } from '../commands/exec/findings.js';
import { TEST_RUNNERS } from '../commands/init/choices.js';
import { packageFolder } from '../program/package-folder.js';
import { ENV_FORMATS } from '../commands/env/formats.js';
import { assumption } from './assumption.js';
import type { Typist } from './running.js';
import { SHELLS } from './shells.js';
import type { Values, ValueSource } from './sources.js';
import { described, files, folders, rows, several, words } from './sources.js';

const EVENT_GLOBS = ['*', ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*')))];

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
  'faults fault': described({ ...CALL_FAULTS, ...DELIVERY_FAULTS }),
  'kyc status': words(SESSION_DECISIONS),
  'sign method': words(['POST', 'GET', 'PUT', 'PATCH', 'DELETE']),
  event: words(EVENT_TYPES),

  'charges id': rows('charges'),
  'withdrawals id': rows('withdrawals'),
  'events id': rows('events'),
  'deliveries id': rows('deliveries'),
  'deliveries retry id': rows('deadLetters'),
  'endpoints id': rows('endpoints'),
  'faults id': rows('faults'),
  'calls id': rows('calls'),
  'kyc id': rows('sessions'),
  '--charge <id>': rows('charges'),
  '--withdrawal <id>': rows('withdrawals'),
  '--event <id>': rows('events'),
  '--endpoint <id>': rows('endpoints'),
  '--app <app>': rows('apps'),
  '--url <url>': ({ env }) => {
    return { candidates: allRunFiles(env).map(({ url, folder }) => ({ value: url, description: folder })) };
  },

  'charges --status <status>': words(CHARGE_STATUSES),
  'withdrawals --status <status>': words(WITHDRAWAL_STATUSES),
  'deliveries --status <status>': words(DELIVERY_STATUSES),
  'kyc --status <status>': words(SESSION_STATUSES),
  '--event <type>': words([...EVENT_TYPES, ...EVENT_GLOBS]),
  '--events <types>': several([...EVENT_TYPES, ...EVENT_GLOBS]),
  '--format <format>': words(ENV_FORMATS),
  '--test <runner>': words(TEST_RUNNERS),
  '--customer-type <type>': words(CUSTOMER_TYPES),
  '--simulate <steps>': several(['500', 'timeout', 'reset', 'slow:3s', 'lost', 'ok']),
  '--fail-on <kinds>': several(FAIL_ON),
  '--scope <parts>': async (typist, typed) => {
    const { RESET_SCOPES } = await import('../../contract/reset-scopes.js');
    return several(RESET_SCOPES)(typist, typed);
  },
  '--reason <code>': described(FAILURE_REASONS),
  '--method <method>': words(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  '--on <what>': words(['call', 'delivery']),
  '--door <door>': words(FAULT_DOORS),
  'calls --door <door>': words([...FAULT_DOORS, 'hosted']),
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
