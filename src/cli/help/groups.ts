import type { CommandTable } from '../commands/table.js';
import type { CommandFolder } from '../program/declaration.js';

/** Commands by what one wants to do, in the order in which one comes to need them. */
export const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Start and stop', ['start', 'listen', 'env', 'status', 'wait', 'stop']],
  ['Make things happen', ['trigger', 'charges', 'withdrawals', 'kyc']],
  ['See what happened', ['logs', 'trace', 'events', 'deliveries', 'calls', 'ledger']],
  ['Move time', ['clock', 'agenda']],
  ['Make things fail', ['faults']],
  ['Check your code', ['check', 'explore', 'verify', 'sign']],
  ['Run tests', ['exec', 'run', 'fixtures']],
  ['Keep and restore', ['state', 'reset']],
  ['Applications', ['apps', 'endpoints']],
  ['Set up', ['init', 'config', 'assumptions', 'doctor', 'completion', 'help']],
];

export interface HelpGroup {
  readonly title: string;
  readonly folders: readonly (readonly [name: string, folder: CommandFolder])[];
}

/** Every folder of commands, by group; one that no group names comes last. */
export function helpGroups({ folders }: CommandTable): readonly HelpGroup[] {
  const grouped = new Set(GROUPS.flatMap(([, names]) => names));
  const others = [...folders.keys()].filter((name) => !grouped.has(name));
  return [...GROUPS, ['More', others] as const]
    .map(([title, names]) => ({
      title,
      folders: names.flatMap((name) => {
        const folder = folders.get(name);
        return folder === undefined ? [] : [[name, folder] as const];
      }),
    }))
    .filter((group) => group.folders.length > 0);
}
