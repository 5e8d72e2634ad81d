import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProjectFolder, getProbeFilePath, makeStateDirectory } from '../../../client/run-file.js';
import {
  type AssumptionLine,
  listAssumptions,
  type ObservedAssumption,
  resolveAssumptions,
} from '../../../contract/assumptions.js';
import { loadSettings, PROJECT_FILE } from '../../../config/load.js';
import type { FactOutcome } from '../../../parity/probe.js';
import type { Observations } from '../../../parity/observer.js';
import type { ProbeCounters } from '../../../parity/other-implementation.js';
import { PARITY_FILE, PARITY_RECORD, type ParityRecord } from '../../../parity/record.js';
import { readJsonText } from '../../../schema/json-text.js';
import { isObject } from '../../../schema/object.js';
import { formatPath, sortByPosition, type Schema } from '../../../schema/schema.js';
import { findIssues } from '../../../schema/sentences.js';
import { parseJson } from '../../../text/json.js';
import { CliError, createUsageError } from '../../program/errors.js';
import { readBytesIfPresent, withFileErrors } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';

type Place = Pick<Io, 'cwd' | 'env'>;

/** Parses a JSON file. Throws a usage error with the position of the first issue. */
export function parseJsonFile<Value>(
  file: string,
  text: string,
  schema: Schema<Value, unknown>,
  hint: string,
): Value {
  const json = readJsonText(text.replace(/^\ufeff/, ''));
  if (!json.isJson) {
    throw createUsageError(`${file}:${json.place.line}:${json.place.column} ${json.problem}.`, hint);
  }
  const [issue] = sortByPosition(findIssues(schema, json.value), json.placeOf);
  if (issue === undefined) return json.value as Value;
  const { line, column, path, message } = issue;
  throw createUsageError(`${file}:${line}:${column} ${formatPath(path)}: ${message}`, hint);
}

/** Reads the parity file, or returns undefined if there is none. Throws a usage error for an invalid file. */
export function readParityRecord({ cwd }: Pick<Io, 'cwd'>): ParityRecord | undefined {
  const bytes = readBytesIfPresent(join(cwd, PARITY_FILE), { verb: 'read', name: PARITY_FILE });
  if (bytes === undefined) return undefined;
  return parseJsonFile(
    PARITY_FILE,
    bytes.toString('utf8'),
    PARITY_RECORD,
    'Delete the file and run `npx sandbox parity probe` again.',
  );
}

/** Reads the observations for the list of assumptions; none from a missing or invalid file. */
export function readObservations(io: Pick<Io, 'cwd'>): Readonly<Record<string, ObservedAssumption>> {
  try {
    const entries = Object.entries(readParityRecord(io)?.facts ?? {});
    return Object.fromEntries(
      entries.map(([id, { observed, value = null, matches }]) => [id, { on: observed, value, matches }]),
    );
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}

/**
 * Lists the assumptions with this project’s settings, and the observations of the last probe. Ignores invalid
 * settings, which `doctor` reports.
 */
export function readProjectAssumptions(io: Pick<Io, 'cwd' | 'env'>): AssumptionLine[] {
  const { env, cwd } = io;
  const { values } = loadSettings({ env, cwd, folder: findProjectFolder(cwd), given: {}, command: 'start' });
  const assume = values.find(({ setting }) => setting.key === 'assume')?.value;
  const pairs = Array.isArray(assume) ? assume : [];
  return listAssumptions(resolveAssumptions(readPairs(pairs)), readObservations(io));
}

/** Converts `id=value` pairs to an object. */
function readPairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

export function writeParityRecord({ cwd }: Pick<Io, 'cwd'>, record: ParityRecord): void {
  const place = { verb: 'write', name: PARITY_FILE } as const;
  withFileErrors(place, () => writeFileSync(join(cwd, PARITY_FILE), `${JSON.stringify(record, null, 2)}\n`));
}

/** Progress of an unfinished probe, or the pending session of a finished one. */
export interface SavedProbe {
  /** Identifies the servers and the account. */
  readonly key: string;
  readonly observations: Observations;
  readonly counters: ProbeCounters;
}

/** Reads the state of an earlier probe. Ignores a damaged file: the probe then starts again. */
export function readSavedProbe({ cwd, env }: Place, key: string): SavedProbe | undefined {
  const path = getProbeFilePath(findProjectFolder(cwd), env);
  if (path === undefined) return undefined;
  const bytes = readBytesIfPresent(path, { verb: 'read', name: path });
  const state = bytes && parseJson(bytes.toString('utf8'));
  return isObject(state) && state['key'] === key ? (state as unknown as SavedProbe) : undefined;
}

/** Writes the state, readable only by its user because it can contain a session id; undefined removes it. */
export function saveProbe({ cwd, env }: Place, state: SavedProbe | undefined): void {
  const path = getProbeFilePath(findProjectFolder(cwd), env);
  if (path === undefined) return;
  if (state === undefined) return rmSync(path, { force: true });
  makeStateDirectory(env);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
  renameSync(draft, path);
}

/** Adds assumptions to the project’s settings file. Preserves all other settings. */
export function writeAssumptions({ cwd }: Pick<Io, 'cwd'>, added: readonly FactOutcome[]): string {
  const values = Object.fromEntries(added.map(({ id, value }) => [id, value]));
  const path = join(findProjectFolder(cwd), PROJECT_FILE);
  const text = readBytesIfPresent(path, { verb: 'read', name: path })?.toString('utf8') ?? '{}';
  const settings = parseJson(text.replace(/^\ufeff/, ''));
  const all = isObject(settings) ? settings : {};
  const { assume } = all;
  const pairs = Array.isArray(assume) ? assume.map(String) : typeof assume === 'string' ? [assume] : [];
  const known = isObject(assume) ? assume : readPairs(pairs);
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? 2;
  const next = { ...all, assume: { ...known, ...values } };
  withFileErrors({ verb: 'write', name: path }, () =>
    writeFileSync(path, `${JSON.stringify(next, null, indent)}\n`),
  );
  return path;
}

export function readTextFile({ cwd }: Pick<Io, 'cwd'>, file: string, hint: string): string {
  return withFileErrors({ verb: 'read', name: file, hint }, () => readFileSync(join(cwd, file), 'utf8'));
}
