import type { Command } from '../program/declaration.js';
import { EXIT } from '../program/errors.js';

/** An exit code of a command and its meaning. */
export interface ExitStatus {
  readonly code: string;
  readonly meaning: string;
}

/** The meaning of each code, unless a command has a more specific one. */
export const GENERAL_EXITS: readonly ExitStatus[] = [
  { code: String(EXIT.done), meaning: 'done' },
  { code: String(EXIT.no), meaning: 'refused, failed, or not as expected' },
  { code: String(EXIT.usage), meaning: 'the command line, a setting or a file is invalid; nothing was done' },
  { code: String(EXIT.notRunning), meaning: 'no sandbox is running' },
  { code: String(EXIT.timedOut), meaning: 'the time limit was reached' },
  { code: String(EXIT.portTaken), meaning: 'the port is taken' },
  { code: String(EXIT.bug), meaning: 'a bug of the sandbox; please report it' },
  { code: '128+n', meaning: 'ended by signal n: 130 after Ctrl-C, 143 after SIGTERM' },
];

/** Codes that every command may end with. */
const ALWAYS = new Set(['0', '2', '70', '128+n']);

type Closer = Readonly<Record<string, string>>;

export const REFUSED = 'the sandbox refuses it, for instance an id that it does not have';
/** For a command that only asks the running sandbox. */
const ASKS: Closer = { 1: REFUSED, 3: '' };
/** For a command that uses a running sandbox only if `--url` names one. */
export const ASKS_WHERE_NAMED: Closer = { 3: 'with --url: no sandbox is running there' };

/** Every exit code of a command, with its meaning. */
export function exitStatusesOf({ exits: own = ASKS }: Pick<Command, 'exits'>): readonly ExitStatus[] {
  const known = GENERAL_EXITS.filter(({ code }) => ALWAYS.has(code) || Object.hasOwn(own, code));
  const others = Object.keys(own).filter((code) => GENERAL_EXITS.every((status) => status.code !== code));
  const statuses = [...known, ...others.map((code) => ({ code, meaning: '' }))];
  return statuses.map(({ code, meaning }) => ({ code, meaning: own[code] || meaning })).sort(byCode);
}

/** Words such as `128+n` come after the numbers. */
function byCode(a: ExitStatus, b: ExitStatus): number {
  return rank(a) - rank(b);
}

function rank({ code }: ExitStatus): number {
  return /^\d+$/.test(code) ? Number(code) : Number.POSITIVE_INFINITY;
}
