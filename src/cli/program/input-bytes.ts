import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemErrorOf } from '../../text/system-errors.js';
import type { CliError } from './errors.js';
import { usageError } from './errors.js';
import type { Io } from './io.js';

/** The name that stands for stdin where a file may be named. */
export const STDIN = '-';

/** The bytes of a file, or of stdin for `-`. Throws a usage error that says why it cannot be read. */
export async function readBytes(io: Io, file: string): Promise<Buffer> {
  if (file.startsWith('whsec_')) {
    throw usageError('Expected a file, got a webhook secret.', 'Give the secret with --secret.');
  }
  try {
    return file === STDIN ? await io.readInput() : readFileSync(resolve(io.cwd, file));
  } catch (error) {
    throw fileError('read', file === STDIN ? 'stdin' : file, error, 'Name a file, or - for stdin.') ?? error;
  }
}

/** A file system's error as a usage error; undefined for any other error. */
export function fileError(
  verb: 'read' | 'write',
  name: string,
  error: unknown,
  hint?: string,
): CliError | undefined {
  const known = error instanceof Error && 'code' in error ? systemErrorOf(error.code) : undefined;
  return known && usageError(`Cannot ${verb} ${name}: ${known.reason}.`, hint ?? known.remedy);
}

/** Refuses to read stdin for two things. The sources are the files by what they are for. */
export function stdinOnce(sources: Readonly<Record<string, string | undefined>>): void {
  const readers = Object.keys(sources).filter((name) => sources[name] === STDIN);
  if (readers.length < 2) return;
  throw usageError(
    `Only one thing can come from stdin, got ${readers.join(' and ')}.`,
    'Put the others into files and name these.',
  );
}
