import type { Command } from '../program/declaration.js';
import { EXIT } from '../program/errors.js';

export interface ExitStatus {
  readonly code: string;
  readonly meaning: string;
}

type Closer = Readonly<Record<string, string>>;

/** The meaning of each code, unless a command has a more specific one. */
const MEANINGS: Closer = {
  [EXIT.done]: 'done',
  [EXIT.no]: 'refused, failed, or not as expected',
  [EXIT.usage]: 'the command line, a setting or a file is invalid; nothing was done',
  [EXIT.notRunning]: 'no sandbox is running',
  [EXIT.timedOut]: 'the time limit was reached',
  [EXIT.portTaken]: 'the port is taken',
  [EXIT.bug]: 'a bug of the sandbox; please report it',
  '128+n': 'ended by signal n: 130 after Ctrl-C, 143 after SIGTERM',
};

/** Codes that every command may end with. */
const ALWAYS: Closer = { 0: '', 2: '', 70: '', '128+n': '' };

export const REFUSED = 'the sandbox refuses it, for instance an id that it does not have';
/** For a command that only asks the running sandbox. */
const ASKS: Closer = { 1: REFUSED, 3: '' };
/** For a command that uses a running sandbox only if `--url` names one. */
export const ASKS_WHERE_NAMED: Closer = { 3: 'with --url: no sandbox is running there' };

/** Every exit code of a command, with its meaning: numbers in order, as objects have them, then words such as `128+n`. */
export function exitStatusesOf({ exits = ASKS }: Pick<Command, 'exits'>): readonly ExitStatus[] {
  return Object.entries({ ...ALWAYS, ...exits }).map(([code, closer]) => {
    return { code, meaning: closer || (MEANINGS[code] ?? '') };
  });
}

/** The exit codes of all commands together. */
export function generalExits(): readonly ExitStatus[] {
  return exitStatusesOf({ exits: MEANINGS });
}
