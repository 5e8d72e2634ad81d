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
import type { Candidate } from './lists.js';
import { LISTS } from './lists.js';
import type { Typist } from './running.js';
import { SHELLS } from './shells.js';

/** What may stand somewhere: candidates, files or folders. */
export interface Values {
  readonly candidates: readonly Candidate[];
  readonly paths?: 'files' | 'folders' | undefined;
}

/** Says what may stand somewhere. `typed` is what stands there already. */
type ValueSource = (typist: Typist, typed: string) => Values | Promise<Values>;

function words(values: readonly string[]): ValueSource {
  return () => ({ candidates: values.map((value) => ({ value, description: '' })) });
}

function described(meanings: Readonly<Record<string, string>>): ValueSource {
  const candidates = Object.entries(meanings).map(([value, description]) => ({ value, description }));
  return () => ({ candidates });
}

/** One value after the other, separated by commas, none twice. */
function several(values: readonly string[]): ValueSource {
  return (_, typed) => {
    const before = typed.slice(0, typed.lastIndexOf(',') + 1);
    const chosen = new Set(before.split(','));
    const left = values.filter((value) => !chosen.has(value));
    return { candidates: left.map((value) => ({ value: before + value, description: '' })) };
  };
}

function rows(list: (typist: Typist) => Promise<readonly Candidate[]>): ValueSource {
  return async (typist) => ({ candidates: await list(typist) });
}

const files: ValueSource = () => ({ candidates: [], paths: 'files' });
const folders: ValueSource = () => ({ candidates: [], paths: 'folders' });

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

/** An assumption's id, and after its `=` what it may be. */
const assumption: ValueSource = async (_, typed) => {
  const { assume, ASSUMPTION_IDS, describeAssumption, isAssumptionId } =
    await import('../../contract/assumptions.js');
  const assumed = assume();
  const id = typed.slice(0, Math.max(typed.indexOf('='), 0));
  if (!isAssumptionId(id)) {
    return {
      candidates: ASSUMPTION_IDS.map((id) => {
        return { value: `${id}=`, description: describeAssumption(id, assumed).question };
      }),
    };
  }
  const { choices } = describeAssumption(id, assumed);
  const values = choices.includes(' | ') ? choices.split(' | ') : [];
  return { candidates: values.map((value) => ({ value: `${id}=${value}`, description: '' })) };
};

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
  'wait what': words(['ready', 'idle', 'delivery']),
  'faults fault': described({ ...CALL_FAULTS, ...DELIVERY_FAULTS }),
  'kyc status': words(SESSION_DECISIONS),
  'sign method': words(['POST', 'GET', 'PUT', 'PATCH', 'DELETE']),
  event: words(EVENT_TYPES),

  'charges id': rows(LISTS.charges),
  'withdrawals id': rows(LISTS.withdrawals),
  'events id': rows(LISTS.events),
  'deliveries id': rows(LISTS.deliveries),
  'deliveries retry id': rows(LISTS.deadLetters),
  'endpoints id': rows(LISTS.endpoints),
  'faults id': rows(LISTS.faults),
  'calls id': rows(LISTS.calls),
  'kyc id': rows(LISTS.sessions),
  '--charge <id>': rows(LISTS.charges),
  '--withdrawal <id>': rows(LISTS.withdrawals),
  '--event <id>': rows(LISTS.events),
  '--endpoint <id>': rows(LISTS.endpoints),
  '--app <app>': rows(LISTS.apps),
  '--url <url>': ({ env }) => {
    return { candidates: allRunFiles(env).map(({ url, folder }) => ({ value: url, description: folder })) };
  },

  'charges --status <status>': words(CHARGE_STATUSES),
  'withdrawals --status <status>': words(WITHDRAWAL_STATUSES),
  'deliveries --status <status>': words(DELIVERY_STATUSES),
  'wait --status <status>': words(DELIVERY_STATUSES),
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
