import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SandboxError } from '../../client/control.js';
import type { FaultFields } from '../../explore/explore.js';
import { mistakesIn } from '../../scenario/format/shape.js';
import { either, list, record } from '../../schema/compound.js';
import { optional } from '../../schema/fields.js';
import { isObject, object } from '../../schema/object.js';
import type { Path } from '../../schema/place.js';
import { pathText } from '../../schema/place.js';
import { readJsonText } from '../../schema/json-text.js';
import { anything, map, text, whole } from '../../schema/values.js';
import { usageError } from '../program/errors.js';
import { onFile } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';
import { startServer } from '../../http/server/start.js';
import { controlOf } from './control-of.js';

/** The faults of a file, and the seed under which they were found. */
export interface FaultFile {
  readonly faults: readonly FaultFields[];
  readonly seed: string | undefined;
}

const EXAMPLE = 'For example: {"faults": [{"action": "duplicate", "event": "pix.settled"}]}';

const FAULTS = list(record(anything, 'a fault'));
const FILE = object('a file of faults', {
  faults: FAULTS,
  seed: optional(either([text('a text'), map(whole('a whole number'), String)], 'a text or a whole number')),
  about: optional(text('a text')),
});

/**
 * Reads `--faults`: a JSON array of faults, or `{"faults": […], "seed"?, "about"?}`. Each fault is tried on a sandbox of its own, so
 * that nothing begins with a mistake in it. Throws a usage error that names the place of the first.
 */
export async function readFaultFile(
  { cwd }: Pick<Io, 'cwd'>,
  file: string,
  canRestart: boolean,
): Promise<FaultFile> {
  const written = onFile({ verb: 'read', name: file, hint: 'Name a file of faults with --faults.' }, () =>
    readFileSync(resolve(cwd, file), 'utf8'),
  );
  const json = readJsonText(written.replace(/^\uFEFF/, ''));
  if (!json.isJson)
    throw usageError(`${file}:${json.place.line}:${json.place.column} ${json.problem}.`, EXAMPLE);
  const refuse = (path: Path, message: string) => {
    const { line, column } = json.placeOf(path);
    const where = path.length === 0 ? '' : ` ${pathText(path)}`;
    return usageError(`${file}:${line}:${column}${where}: ${message}`, EXAMPLE);
  };
  const isObjectFile = isObject(json.value);
  const [mistake] = mistakesIn(isObjectFile ? FILE : FAULTS, json.value);
  if (mistake !== undefined) throw refuse(mistake.path, mistake.message);
  const { faults, seed } = (isObjectFile ? json.value : { faults: json.value }) as {
    readonly faults: readonly FaultFields[];
    readonly seed?: string | number;
  };
  const refused = await firstRefused(faults, canRestart);
  if (refused !== undefined) {
    const { index, field, message } = refused;
    throw refuse(
      [...(isObjectFile ? ['faults'] : []), index, ...(field === undefined ? [] : [field])],
      message,
    );
  }
  return { faults, seed: seed?.toString() };
}

interface Refused {
  readonly index: number;
  readonly field: string | undefined;
  readonly message: string;
}

/** The first fault that a sandbox refuses, and why. */
async function firstRefused(
  faults: readonly FaultFields[],
  canRestart: boolean,
): Promise<Refused | undefined> {
  const server = await startServer({ restart: () => Promise.resolve() });
  const control = controlOf(server);
  try {
    for (const [index, body] of faults.entries()) {
      if (body.action === 'restart' && !canRestart) {
        return {
          index,
          field: 'action',
          message: 'The application has to be restarted; say how with --restart.',
        };
      }
      const error = await control.post('faults', { body }).then(() => undefined, sandboxError);
      if (error === undefined) continue;
      const [detail] = error.details;
      return { index, field: detail?.field, message: detail?.message ?? error.body.message };
    }
    return undefined;
  } finally {
    await server.close();
  }
}

function sandboxError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  throw error;
}
