import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../client/run-file.js';
import { loadSettings } from '../../../config/load.js';
import { asCalled } from '../../../text/program-name.js';
import type { doctor } from './command.js';
import type { Check, Names } from './doctor-checks.js';
import {
  clockCheck,
  configCheck,
  localhostCheck,
  MACHINE,
  nodeCheck,
  portCheck,
  proxyCheck,
  runFileCheck,
} from './doctor-checks.js';
import { roundTripCheck } from './round-trip.js';
import { EXIT } from '../../program/errors.js';
import { withRunningSandbox } from '../../sandbox/find-sandbox.js';
import type { BodyOf, Invocation } from '../../program/declaration.js';
import { packageFolder } from '../../program/input-bytes.js';
import { oneLine, wrap } from '../../terminal/text.js';
import type { Io } from '../../program/io.js';

const DEFAULT_PORT = 7490;
const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const STATUS_COLUMNS = 6;
const NAME_COLUMNS = 13;
const LEAST_COLUMNS = 20;

interface NamedCheck extends Check {
  readonly name: string;
}

/** `sandbox doctor`: checks everything that a sandbox needs; exit 1 when something would keep it from working. */
export const examine: BodyOf<typeof doctor> = (invocation) => checkUp(invocation, MACHINE);

/** The same with injected host names and ports. */
export async function checkUp(invocation: Invocation, names: Names): Promise<number> {
  const { io } = invocation;
  const checks = Object.entries(await allChecks(invocation, names)).map(
    ([name, { status, message, advice }]) => ({
      name,
      status,
      message,
      advice: advice === undefined ? undefined : asCalled(advice, io.program),
    }),
  );
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const failed = count('fail');
  io.emit({ ok: failed === 0, checks });
  io.say(checks.flatMap((check) => checkLines(io, check)).join('\n'));
  io.say(`\n${count('ok')} in order, ${count('warn')} to look at, ${failed} failed.`);
  return failed === 0 ? EXIT.done : EXIT.no;
}

async function allChecks(invocation: Invocation, names: Names): Promise<Readonly<Record<string, Check>>> {
  const { io } = invocation;
  const { env, cwd } = io;
  const folder = projectFolder(cwd);
  const settled = loadSettings({ env, cwd, folder, given: {} });
  const sandbox = await withRunningSandbox(invocation, ({ url, token }) =>
    Promise.resolve({ url, control_token: token }),
  );
  const port = settled.values.find(({ setting }) => setting.key === 'port')?.value;
  return {
    node: nodeCheck(process.version, engines()),
    proxy: proxyCheck(env),
    localhost: await localhostCheck(names),
    config: configCheck(settled, env),
    'run file': await runFileCheck(folder, env),
    port: await portCheck(typeof port === 'string' ? Number(port) : DEFAULT_PORT, io, names),
    clock: await clockCheck(sandbox, Date.now),
    'round trip': await roundTripCheck(),
  };
}

function engines(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly engines: { readonly node: string } }).engines.node;
}

function checkLines(
  { colour, columns }: Io,
  { name, status, message, advice }: NamedCheck,
): readonly string[] {
  const indent = STATUS_COLUMNS + NAME_COLUMNS;
  const width = columns === 0 ? 0 : Math.max(columns - indent, LEAST_COLUMNS);
  const head = colour[COLOURS[status]](status) + ' '.repeat(STATUS_COLUMNS - status.length);
  const texts = [message, ...(advice === undefined ? [] : [`→ ${advice}`])];
  const lines = texts.flatMap((text) => wrap(oneLine(text, 0), width));
  return lines.map(
    (line, index) => (index === 0 ? head + name.padEnd(NAME_COLUMNS) : ' '.repeat(indent)) + line,
  );
}
