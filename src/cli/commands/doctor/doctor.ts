import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../client/run-file.js';
import { loadSettings } from '../../../config/load.js';
import type { Check } from './check.js';
import type { doctor } from './command.js';
import type { Names } from './network.js';
import { localhostCheck, MACHINE, portCheck } from './network.js';
import { clockCheck, configCheck, runFileCheck, stateCheck } from './project.js';
import { roundTripCheck } from './round-trip.js';
import { environmentCheck, nodeCheck, proxyCheck, terminalCheck } from './runtime.js';
import { EXIT } from '../../program/errors.js';
import { findSandbox, isNotRunning } from '../../sandbox/find-sandbox.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import { packageFolder } from '../../program/package-folder.js';
import { checkupText } from './text.js';

const DEFAULT_PORT = 7490;

/** `sandbox doctor`: checks everything that a sandbox needs; exit 1 when something would keep it from working. */
export const examine: BodyOf<typeof doctor> = (invocation) => checkUp(invocation, MACHINE);

/** The same with injected host names and ports. */
export async function checkUp(invocation: Invocation, names: Names): Promise<number> {
  const { io } = invocation;
  const checks = await allChecks(invocation, names);
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const failed = count('fail');
  io.emit({ ok: failed === 0, checks });
  io.say(checkupText(io, checks));
  io.say(`\n${count('ok')} in order, ${count('warn')} to look at, ${failed} failed.`);
  return failed === 0 ? EXIT.done : EXIT.no;
}

async function allChecks(invocation: Invocation, names: Names): Promise<readonly Check[]> {
  const { io } = invocation;
  const { env, cwd } = io;
  const folder = projectFolder(cwd);
  const settled = loadSettings({ env, cwd, folder, given: {} });
  const port = settled.values.find(({ setting }) => setting.key === 'port')?.value;
  return [
    nodeCheck(process.version, engines()),
    environmentCheck(env),
    proxyCheck(env),
    terminalCheck(io),
    await localhostCheck(names),
    configCheck(settled, env),
    stateCheck(env),
    await runFileCheck(folder, env),
    await portCheck(typeof port === 'string' ? Number(port) : DEFAULT_PORT, io, names),
    await clockCheck(runningUrl(invocation), Date.now),
    await roundTripCheck(),
  ];
}

function engines(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly engines: { readonly node: string } }).engines.node;
}

/** The sandbox that commands would talk to; undefined if there is none. */
function runningUrl(invocation: Invocation): string | undefined {
  try {
    const client = findSandbox(invocation);
    client.close();
    return client.url;
  } catch (error) {
    if (isNotRunning(error)) return undefined;
    throw error;
  }
}
