import { accessSync, constants, statSync } from 'node:fs';
import type { Environment, RunFile } from '../../../client/run-file.js';
import { foreignState, parseRunFile, runFilePaths, stateDirectory } from '../../../client/run-file.js';
import { nearestExisting } from '../../../folders.js';
import { CONTROL } from '../../../client/control.js';
import type { Settled } from '../../../config/load.js';
import type { ClockView } from '../../../http/control/schema.js';
import { offsetText } from '../clock/text.js';
import { describeMistake, nearMisses } from '../../program/configured-options.js';
import { isRunning } from '../../../client/is-running.js';
import { oneLine } from '../../terminal/text.js';
import { ask, isSandbox } from './ask.js';
import type { Check } from './check.js';
import { fail, ok, warn } from './check.js';

const PATIENCE_MS = 3_000;

/** Whether the settings can be read, and their sources. */
export function configCheck({ mistakes, files, values }: Settled, env: Environment): Check {
  if (mistakes.length > 0) {
    const all = mistakes.map((mistake) => {
      const { field, message } = describeMistake(mistake);
      return `${field} ${message}`;
    });
    return fail(all.join(' '), '`npx sandbox config --help` says what each setting takes.');
  }
  const [miss] = nearMisses(Object.keys(env));
  if (miss !== undefined) {
    const [name, meant] = miss;
    return warn(`${name} is not a setting.`, `Did you mean ${meant}?`);
  }
  const there = files.filter(({ isThere }) => isThere).map(({ path }) => oneLine(path, 0));
  const count = values.filter(({ source }) => source.from !== 'default').length;
  const from = there.length === 0 ? 'no file' : there.join(' and ');
  return ok(`${from}; ${count} of ${values.length} settings chosen.`);
}

/** Whether each run file of a project is current, and readable by its user only; the first that is not counts. */
export async function runFileCheck(folder: string, env: Environment): Promise<Check> {
  const paths = runFilePaths(env, folder);
  if (paths.length === 0) return ok(`None: no sandbox was started for ${oneLine(folder, 0)}.`);
  const checks = await Promise.all(paths.map(oneRunFileCheck));
  const wrong = checks.find(({ status }) => status !== 'ok');
  return wrong ?? ok(checks.map(({ message }) => message).join(' '));
}

async function oneRunFileCheck(path: string): Promise<Check> {
  const shown = oneLine(path, 0);
  const run = parseRunFile(path);
  const restart = `rm '${shown}', or start the sandbox again.`;
  if (run === undefined) return warn(`${shown} cannot be read.`, `rm '${shown}'`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    return warn(`${shown} can be read by others, and may hold a token.`, `chmod 600 '${shown}'`);
  }
  if (!isRunning(run)) {
    return warn(`${shown} was left behind by process ${run.pid}, which has ended.`, restart);
  }
  const place = `${oneLine(run.url, 0)} (pid ${run.pid})`;
  if (await answers(run)) return ok(`The sandbox of this project is ${place}.`);
  return warn(`The sandbox that was started for this project does not answer at ${place}.`, `rm '${shown}'`);
}

/** Whether the sandbox that answers is the one that wrote the file. */
async function answers(run: RunFile): Promise<boolean> {
  try {
    const { body } = await askSandbox(run, 'readyz');
    return (JSON.parse(body) as { readonly instance_id?: unknown }).instance_id === run.instance_id;
  } catch {
    return false;
  }
}

/** Whether the state directory for run files is writable. */
export function stateCheck(env: Environment): Check {
  const directory = stateDirectory(env);
  if (directory === undefined) {
    return fail('This user has no home directory.', 'Choose a folder with XDG_STATE_HOME.');
  }
  const shown = oneLine(directory, 0);
  const advice = 'Make it yours, or choose another with XDG_STATE_HOME.';
  const foreign = foreignState(env);
  if (foreign !== undefined) return fail(`${oneLine(foreign.message, 0)}.`, advice);
  const nearest = nearestExisting(directory);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${oneLine(nearest, 0)} is not a folder`);
    accessSync(nearest, constants.W_OK | constants.X_OK);
    const found = nearest === directory ? 'can be written' : 'can be made';
    return ok(`${shown} ${found}.`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(`${shown} cannot be written (${code ?? message}).`, advice);
  }
}

/** Signatures are valid for five minutes (§8); a clock skew should stay well below that. */
const TOLERANCE_S = 300;
const SUSPECT_S = 5;

/** The clock skew of a running sandbox, and how far its own time was moved. Without one it is unknown: no other server is asked. */
export async function clockCheck(
  sandbox: Pick<RunFile, 'url' | 'control_token'> | undefined,
  nowMs: () => number,
): Promise<Check> {
  const unknown = `Nothing to compare with: ${sandbox === undefined ? 'no sandbox is running' : 'the sandbox does not answer'}, and no other server is asked.`;
  if (sandbox === undefined) return ok(unknown);
  const before = nowMs();
  const answer = await askSandbox(sandbox, 'clock').catch(() => undefined);
  if (answer !== undefined && !isSandbox(answer)) {
    const message = `${oneLine(sandbox.url, 0)} responded with HTTP ${answer.status}, but it is not a pix-sandbox.`;
    return fail(message, 'Check `--url` and `SANDBOX_URL`.');
  }
  const theirs = Date.parse(answer?.headers.date ?? '');
  if (Number.isNaN(theirs)) return ok(unknown);
  // The Date header has whole seconds.
  const skewS = Math.round((theirs + 500 - (before + nowMs()) / 2) / 1000);
  const message = `The sandbox's clock is ${Math.abs(skewS)} s ${skewS < 0 ? 'behind' : 'ahead of'} ours.`;
  const advice =
    'Synchronise both with a time server; a container or virtual machine may have been suspended.';
  if (Math.abs(skewS) > TOLERANCE_S) return fail(`${message} Every signature will be refused.`, advice);
  if (Math.abs(skewS) > SUSPECT_S) return warn(message, advice);
  const offset = offsetIn(answer?.body ?? '');
  return ok(`The sandbox’s clock and ours agree.${offset === '' ? '' : ` Sandbox time is ${offset}.`}`);
}

function askSandbox({ url, control_token: token }: Pick<RunFile, 'url' | 'control_token'>, route: string) {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  return ask(`${url}${CONTROL}${route}`, { headers, timeoutMs: PATIENCE_MS });
}

/** The offset in the sandbox's answer; empty if that is another one, such as a refusal. */
function offsetIn(body: string): string {
  try {
    return offsetText(JSON.parse(body) as ClockView);
  } catch {
    return '';
  }
}
