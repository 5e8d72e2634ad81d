import type { Machine } from './machine.js';

/** The present or last owner of a data directory. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
  /** As `Machine.processTable`; locks of earlier versions have none. */
  readonly processTable: string | null;
  readonly released: boolean;
  readonly mark: Mark | null;
}

/**
 * What a directory must hold, as its last owner left it: nothing is acknowledged before its lock says so. Each new owner
 * passes it on.
 */
export interface Mark {
  /** A snapshot of this generation or a later one; 0 is none. */
  readonly generation: number;
  /** Also the journal of this generation, while its snapshot is the latest. */
  readonly hasJournal: boolean;
}

/**
 * Decides from the process table whether an owner still runs. Returns `unknown` for a process of another container or host, and for
 * a process with our own id where start times are not readable: then only the renewals of its lock can tell.
 */
export function ownerState(holder: Holder, machine: Machine): 'running' | 'gone' | 'unknown' {
  const { pid, host, started, processTable, released } = holder;
  if (released) return 'gone';
  const isVisible = processTable === machine.processTable && (processTable !== null || host === machine.host);
  if (!isVisible) return 'unknown';
  const running = machine.processOf(pid);
  if (running === null) return 'gone';
  if (started !== null && running.started !== null) return started === running.started ? 'running' : 'gone';
  return pid === machine.pid ? 'unknown' : 'running';
}

/** Parses a lock file; null if it is something else. */
export function holderOf(text: string): Holder | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  return isHolder(json)
    ? { ...json, processTable: json.processTable ?? null, mark: json.mark ?? null }
    : null;
}

type Parsed = Omit<Holder, 'mark' | 'processTable'> & Partial<Pick<Holder, 'mark' | 'processTable'>>;

/** Locks of earlier versions have no mark and no process table. */
function isHolder(json: unknown): json is Parsed {
  if (typeof json !== 'object' || json === null) return false;
  if (!('pid' in json && 'host' in json && 'started' in json && 'released' in json)) return false;
  const { pid, host, started, released } = json;
  // Signals to 0 and to negative numbers would go to whole groups.
  const isPid = typeof pid === 'number' && Number.isInteger(pid) && pid > 0;
  const isStart = started === null || typeof started === 'string';
  const hasMark = !('mark' in json) || json.mark === null || isMark(json.mark);
  const hasTable =
    !('processTable' in json) || json.processTable === null || typeof json.processTable === 'string';
  return isPid && typeof host === 'string' && isStart && hasTable && typeof released === 'boolean' && hasMark;
}

function isMark(json: unknown): json is Mark {
  if (typeof json !== 'object' || json === null || !('generation' in json && 'hasJournal' in json))
    return false;
  const { generation, hasJournal } = json;
  return Number.isSafeInteger(generation) && Number(generation) >= 0 && typeof hasJournal === 'boolean';
}
