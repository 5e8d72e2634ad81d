import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ControlClient } from '../../../client/control.js';
import type { Script } from '../../../text/shell/again.js';
import type { NoScript } from '../../../text/shell/kept.js';
import { callAgain } from '../../../text/shell/kept.js';
import { usageError } from '../../program/errors.js';
import { readBytes, STDIN } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { schemeOf } from '../../signatures/request-surroundings.js';

/** The body of `--body`: a text, `@file`, or `-` for stdin. */
export async function givenBody(io: Io, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = given === STDIN ? STDIN : given.startsWith('@') ? given.slice(1) : undefined;
  if (file === undefined) {
    if (given !== '' && existsSync(resolve(io.cwd, given))) {
      throw usageError('--body takes a text, and this is a file.', `What it holds: \`--body @${given}\`.`);
    }
    return given;
  }
  const bytes = await readBytes(io, file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw usageError(`--body takes text in UTF-8; ${file === STDIN ? 'stdin' : file} is none.`);
}

/** The commands that send a call again, and a call of which application it was where that is not the default one. */
export async function scriptOf(
  client: ControlClient,
  id: string,
): Promise<Script & { readonly app: string | null }> {
  const call = await client.get('calls/:id', { id });
  const script = scriptOrUsage(callAgain(call, client.url, await schemeOf(client)));
  const [first, ...others] = (await client.get('apps')).data;
  const other = others.find((app) => app.id === call.app_id);
  return { ...script, app: first === undefined || other === undefined ? null : other.name };
}

/** The commands; throws a usage error where there are none. */
export function scriptOrUsage(again: Script | NoScript): Script {
  if ('problem' in again) throw usageError(again.problem, again.hint);
  return again;
}
