import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSystemError } from '../../text/system-errors.js';
import { createUsageError } from './errors.js';
import type { Io } from './io.js';

const PACKAGE_NAME = 'pix-sandbox';

/**
 * Finds this package's directory by searching upward from a module, because the bundle and the sources are in
 * different directories.
 */
export function findPackageFolder(moduleUrl: string = import.meta.url): string {
  const start = dirname(fileURLToPath(moduleUrl));
  for (let folder = start; ; folder = dirname(folder)) {
    if (isPackage(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) {
      throw new Error(`Expected ${start} to be inside the package ${PACKAGE_NAME}.`);
    }
  }
}

/** Returns a file's path in the packaged `fixtures` directory. */
export function getFixturePath(name: string): string {
  return join(findPackageFolder(), 'fixtures', name);
}

function isPackage(path: string): boolean {
  if (!existsSync(path)) return false;
  const { name } = JSON.parse(readFileSync(path, 'utf8')) as { readonly name?: string };
  return name === PACKAGE_NAME;
}

/** The file name that selects stdin. */
export const STDIN = '-';

/** Reads a file, or stdin for `-`. Throws a usage error with the reason if reading fails. */
export async function readBytes(io: Io, file: string): Promise<Buffer> {
  if (file.startsWith('whsec_')) {
    throw createUsageError('Expected a file, got a webhook secret.', 'Pass the secret with --secret.');
  }
  try {
    return file === STDIN ? await io.readInput() : readFileSync(resolve(io.cwd, file));
  } catch (error) {
    const name = file === STDIN ? 'stdin' : file;
    throw fileError({ verb: 'read', name, hint: 'Pass a file name, or - for stdin.' }, error);
  }
}

/** Describes a file operation in error messages. */
interface FilePlace {
  readonly verb: 'read' | 'write';
  readonly name: string;
  readonly hint?: string;
}

/** Runs `work` and converts file system errors to usage errors. */
export function withFileErrors<Result>(place: FilePlace, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileError(place, error);
  }
}

/** Throws a usage error if the file is not writable. Does not change an existing file. */
export function prepareReport({ cwd }: Pick<Io, 'cwd'>, flag: string, file: string): void {
  onReport(flag, file, () => closeSync(openSync(resolve(cwd, file), 'a')));
}

/** Writes a report to the file passed with `flag`. */
export function writeReport({ cwd }: Pick<Io, 'cwd'>, flag: string, file: string, text: string): void {
  onReport(flag, file, () => writeFileSync(resolve(cwd, file), text));
}

function onReport(flag: string, name: string, work: () => void): void {
  withFileErrors({ verb: 'write', name, hint: `Choose another file with ${flag}.` }, work);
}

/** Reads a file. Returns undefined if the file does not exist. */
export function readBytesIfPresent(path: string, place: FilePlace): Buffer | undefined {
  return withFileErrors(place, () => {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

function fileError({ verb, name, hint }: FilePlace, error: unknown): unknown {
  const known = error instanceof Error && 'code' in error ? findSystemError(error.code) : undefined;
  if (known === undefined) return error;
  return createUsageError(`Cannot ${verb} ${name}: ${known.reason}.`, hint ?? known.fix);
}

/** Throws a usage error if stdin would be read twice. `sources` maps each purpose to its file. */
export function checkStdinOnce(sources: Readonly<Record<string, string | undefined>>): void {
  const readers = Object.keys(sources).filter((name) => sources[name] === STDIN);
  if (readers.length < 2) return;
  throw createUsageError(
    `Only one input can be read from stdin; got ${readers.join(' and ')}.`,
    'Pass the other inputs as files.',
  );
}
