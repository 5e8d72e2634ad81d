import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRestart } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { omitUndefined } from '../../core/webhooks/fault-window.js';
import { FAULT } from '../../core/webhooks/faults.js';
import { INCIDENT } from '../../core/webhooks/incidents.js';
import { oneOf, array } from '../../schema/compound.js';
import { object, optional } from '../../schema/object.js';
import { readJsonText } from '../../schema/json-text.js';
import { type InputOf, type Path, type Schema, formatPath } from '../../schema/schema.js';
import { findIssues } from '../../schema/sentences.js';
import { text } from '../../schema/values.js';
import type { Sandbox } from '../sandbox.js';

/** Restores the current faults after each reset, with the same windows relative to the current time. */
export function restoreFaultsOnReset(sandbox: Sandbox): void {
  const { faults, now } = sandbox.world;
  const rows = Array.from(faults.values(), (row) => ({ ...row }));
  sandbox.onReset((isFresh) => {
    if (!isFresh) return;
    const shiftMs = sandbox.world.now - now;
    const shift = (instant?: number) => (instant === undefined ? undefined : instant + shiftMs);
    for (const { from, until, ...fault } of rows) {
      const window = omitUndefined({ from: shift(from), until: shift(until) });
      sandbox.dispatch({ type: 'fault.add', fault: { ...fault, ...window } });
    }
  });
}

/** Content of a fault file: faults in the control API's format, and the seed of the run that found them. */
export interface FaultFile {
  readonly faults: readonly { readonly action: string }[];
  readonly seed?: string | undefined;
  /** Human-readable description of the faults. */
  readonly about?: string | undefined;
}

/**
 * Thrown for an invalid fault or incident file. The message starts with the file name and the first issue's position,
 * e.g. `day.json:3:25 [1].nth: …`.
 */
export class FaultFileError extends Error {
  readonly hint: string;

  constructor(message: string, example = '{"faults": [{"action": "duplicate", "event": "pix.settled"}]}') {
    super(message);
    this.hint = `For example: ${example}`;
  }
}

const FAULTS = array(FAULT, { max: LIMITS.faults });
const FAULT_OBJECT = object('a fault file', {
  faults: FAULTS,
  seed: optional(text()),
  about: optional(text()),
});
const FAULT_FILE = oneOf('a list of faults', [FAULTS, FAULT_OBJECT], (value) =>
  Array.isArray(value) ? FAULTS : FAULT_OBJECT,
);

/** Matches the file names of findings. */
const OF_FINDING = /^faults-\d{1,9}\.json$/;

/**
 * Reads a fault file, or combines the distinct faults of all findings in a results directory. Error messages
 * use `name` instead of the path. Throws FaultFileError or a system error.
 */
export function readFaults(path: string, name: string, noRestart?: string): FaultFile {
  const read = (file: string, named: string) => parseFaultFile(named, readFileSync(file, 'utf8'), noRestart);
  if (!statSync(path).isDirectory()) return read(path, name);
  const names = readdirSync(path).filter((file) => OF_FINDING.test(file));
  if (names.length === 0)
    throw new FaultFileError(`${name} contains no findings; expected files like faults-1.json.`);
  const files = names
    .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((file) => read(join(path, file), join(name, file)));
  const faults = new Map(files.flatMap((file) => file.faults.map((fault) => [JSON.stringify(fault), fault])));
  return { faults: [...faults.values()], seed: files.find(({ seed }) => seed !== undefined)?.seed };
}

/**
 * Parses a fault file: a list of faults, or `{"faults": […], "seed"?: "…", "about"?: "…"}`. If `noRestart` is
 * provided, rejects `restart` faults with this message. Throws FaultFileError.
 */
export function parseFaultFile(name: string, written: string, noRestart?: string): FaultFile {
  const { value, refuse } = parseFile(FAULT_FILE, name, written);
  const isList = Array.isArray(value);
  const file = (isList ? { faults: value } : value) as FaultFile;
  const restart = file.faults.findIndex(isRestart);
  if (restart >= 0 && noRestart !== undefined) {
    throw refuse([...(isList ? [] : ['faults']), restart, 'action'], noRestart);
  }
  return file;
}

/** Content of an incident file, in the control API's format. */
type IncidentFile = InputOf<typeof INCIDENT>;

/** Parses an incident file: `{"name": "…", "duration": "10m", "faults": […]}`. Throws FaultFileError. */
export function parseIncidentFile(name: string, written: string): IncidentFile {
  const example =
    '{"name": "bank-outage", "duration": "10m", "faults": [{"action": "status", "status": 503}]}';
  return parseFile(INCIDENT, name, written, example).value as IncidentFile;
}

/** Parses a JSON file. Throws FaultFileError with the position of the first issue. */
function parseFile(schema: Schema<unknown>, name: string, written: string, example?: string) {
  const json = readJsonText(written.replace(/^\uFEFF/, ''));
  if (!json.isJson)
    throw new FaultFileError(`${name}:${json.place.line}:${json.place.column} ${json.problem}.`, example);
  const refuse = (path: Path, message: string) => {
    const { line, column } = json.placeOf(path);
    const where = path.length === 0 ? '' : ` ${formatPath(path)}`;
    return new FaultFileError(`${name}:${line}:${column}${where}: ${message}`, example);
  };
  const [issue] = findIssues(schema, json.value);
  if (issue !== undefined) throw refuse(issue.path, issue.message);
  return { value: json.value, refuse };
}
