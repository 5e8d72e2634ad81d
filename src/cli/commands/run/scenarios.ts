import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openHttp } from '../../../client/socket.js';
import { resolveAssumptions } from '../../../contract/assumptions.js';
import { Refusal } from '../../../contract/refusals.js';
import { parseInstant } from '../../../contract/time.js';
import type { ScenarioRun, Scenarios } from '../../../http/control/world.js';
import type { SandboxServer, ServerOptions } from '../../../http/server/start.js';
import { parseSandboxOptions } from '../../../sandbox/options.js';
import { createInProcessTarget, type Target } from '../../../scenario/api-clients.js';
import { parseScenario } from '../../../scenario/parse.js';
import { fetchRecording, formatRecording } from '../../../scenario/record.js';
import {
  type RunScenario,
  runScenario,
  type ScenarioOutcome,
  type StepOutcome,
} from '../../../scenario/run.js';
import type { ScenarioStart, Scenario } from '../../../scenario/steps.js';
import { getErrorMessage } from '../../../text/errors.js';
import { CliError, EXIT_CODES, parseChoice, createUsageError } from '../../program/errors.js';
import { findPackageFolder, readBytes, STDIN } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { isNotRunning, type SandboxSearch, withSandbox } from '../../sandbox/find-sandbox.js';
import { annotateForCi, escapeControlCharacters, toOneLine } from '../../terminal/text.js';

/**
 * Creates a `fetch` for one origin, based on `node:http`. Sends the request target exactly as signed, and
 * uses a new connection per request, so that an intentionally broken connection is not mistaken for a stale
 * connection.
 */
export function createHttpFetch(origin: string): (target: string, init?: RequestInit) => Promise<Response> {
  const base = origin.replace(/(?<!\/)\/+$/, '');
  return async (target, { method = 'GET', headers, body, signal } = {}) => {
    const incoming = await openHttp(base + target, {
      method,
      agent: false,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
      ...(signal ? { signal } : {}),
    });
    const { statusCode: status = 500 } = incoming;
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), {
      status,
      headers: new Headers(
        Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
    });
  };
}

const SCHEMA = 'scenario.schema.json';
const SUFFIX = '.json';

function builtInPath(name: string): string {
  return join(findPackageFolder(), 'fixtures', 'scenarios', name + SUFFIX);
}

export function listBuiltInNames(): readonly string[] {
  return readdirSync(dirname(builtInPath('')))
    .filter((name) => name.endsWith(SUFFIX) && name !== SCHEMA)
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

export function findBuiltInScenario(name: string): Scenario {
  const { scenario } = parseScenario(readFileSync(builtInPath(name), 'utf8'));
  if (scenario === undefined) throw new TypeError(`The built-in scenario ${name} cannot be read.`);
  return scenario;
}

export function readBuiltInScenarios() {
  return listBuiltInNames().map((name) => {
    return { name, description: findBuiltInScenario(name).description ?? '', file: builtInPath(name) };
  });
}

interface ReadScenario {
  readonly scenario: Scenario;
  /** Options for its fresh sandbox. */
  readonly fresh: ServerOptions;
  /** Returns a step's line number; steps and lines start at 1. */
  readonly lineOf: (step: number) => number;
}

interface ScenarioIssue {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Parses a scenario and its sandbox options, or returns all issues. */
function readScenario(text: string): ReadScenario | { readonly issues: readonly ScenarioIssue[] } {
  const parsed = parseScenario(text);
  const { scenario } = parsed;
  if (scenario === undefined) return { issues: parsed.issues };
  try {
    return { scenario, fresh: createServerOptions(scenario.sandbox), lineOf: parsed.lineOf };
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof CliError)) throw error;
    return { issues: [{ path: 'sandbox', message: error.message }] };
  }
}

export interface LoadedScenario extends ReadScenario {
  readonly name: string;
  /** The name or path as typed. */
  readonly file: string;
}

const TITLE = 'scenario';
const LARGEST_BYTES = 1024 * 1024;
const LONGEST_MESSAGE = 300;

/** Loads all scenarios. Throws a usage error that lists the issues of every file. */
export async function loadScenarios(io: Io, files: readonly string[]): Promise<readonly LoadedScenario[]> {
  const loaded: LoadedScenario[] = [];
  const details: { field: string; message: string }[] = [];
  for (const file of files) {
    const place = isPath(file)
      ? file
      : builtInPath(parseChoice('built-in scenario', file, listBuiltInNames()));
    const bytes = await readBytes(io, place);
    if (bytes.length > LARGEST_BYTES)
      throw createUsageError(`${file} exceeds the size limit of a scenario (1 MiB).`);
    const read = readScenario(bytes.toString());
    if ('scenario' in read) {
      loaded.push({ name: read.scenario.name ?? basename(file, SUFFIX), file, ...read });
      continue;
    }
    for (const { path, line, column, message: whole } of read.issues) {
      const message = toOneLine(whole, LONGEST_MESSAGE);
      if (line !== undefined) annotateForCi(io, TITLE, message, isOwnFile(file) ? { file, line } : undefined);
      const at = line === undefined ? '' : `:${line}:${column}`;
      details.push({ field: `${file}${at} ${toOneLine(path, LONGEST_MESSAGE)}`.trimEnd(), message });
    }
  }
  if (details.length === 0) return loaded;
  const count = details.length === 1 ? 'is an issue' : `are ${details.length} issues`;
  throw new CliError(
    EXIT_CODES.usage,
    'INVALID_SCENARIO',
    `There ${count} in ${files.join(', ')}; nothing ran.`,
    {
      details,
      hint: 'Add "$schema" to validate in your editor; `npx sandbox fixtures show scenario.schema` prints the schema.',
    },
  );
}

/** Annotates a failed scenario in CI; for a user's file, at the failed step's line. */
export function annotateFailure(
  io: Io,
  { name, file, lineOf }: LoadedScenario,
  { steps }: Pick<ScenarioOutcome, 'steps'>,
): void {
  const failed = steps.find(({ status }) => status === 'failed');
  const text = `${name}, step ${failed?.number} (${failed?.title}): ${failed?.reasons[0] ?? ''}`;
  const line = lineOf(failed?.number ?? 1);
  annotateForCi(io, TITLE, toOneLine(text, 0), isOwnFile(file) ? { file, line } : undefined);
}

function isOwnFile(file: string): boolean {
  return isPath(file) && file !== STDIN;
}

/** Returns true for a path; built-in names have neither a directory nor an extension. */
function isPath(file: string): boolean {
  return file === STDIN || file.includes('/') || file.includes('\\') || file.endsWith(SUFFIX);
}

export interface RunningTarget extends Target {
  readonly url: string;
}

/**
 * Finds the sandbox at `--url` or SANDBOX_URL, or the project's. Throws only if a specified sandbox is
 * missing.
 */
export async function findRunningTarget(invocation: SandboxSearch): Promise<RunningTarget | undefined> {
  const { io, options } = invocation;
  const isNamed = Boolean(options.url ?? io.env.SANDBOX_URL);
  try {
    return await withSandbox(invocation, async (client) => {
      const env = await client.get('env');
      return { url: client.url, env, fetch: createHttpFetch(client.url), controlToken: client.token };
    });
  } catch (error) {
    if (!isNamed && isNotRunning(error)) return undefined;
    throw error;
  }
}

/** Fixed, so that every run of a scenario is identical. */
const START = '2026-01-31T12:00:00Z';
const SEED = 'scenario';

/** Converts a scenario's sandbox options. Throws a usage error for invalid options. */
export function createServerOptions(beginning: ScenarioStart = {}): ServerOptions {
  const { freeze = START, seed = SEED, auto_settle: autoSettle, kyc_auto: kycAuto } = beginning;
  const { assume: assumed, routes, allow_local_endpoints: allowLocalEndpoints } = beginning;
  resolveAssumptions(assumed);
  try {
    const options = parseSandboxOptions({ autoSettle, kycAuto, routes, allowLocalEndpoints });
    return { seed, freezeAt: parseInstant(freeze), assume: assumed, ...options };
  } catch (error) {
    throw createUsageError(`sandbox.routes: ${getErrorMessage(error)}`);
  }
}

/** Runs `work` with a new in-process sandbox, which needs no port. */
export async function withFreshSandbox<Result>(
  options: ServerOptions,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const { startServer } = await import('../../../http/server/start.js');
  const server = await startServer(options);
  try {
    return await work(createInProcessTarget(server));
  } finally {
    await server.close();
  }
}

export function formatScenario(io: Io, { name, passed, steps, durationMs }: RunScenario): string {
  const { green, red, dim, bold } = io.colors;
  const verdict = passed ? green('passed') : red('failed');
  const head = `${verdict}  ${bold(toOneLine(name, 0))}  ${dim(`${durationMs} ms`)}`;
  return passed ? head : [head, ...steps.flatMap((step) => stepLines(io, step))].join('\n');
}

const MARKS = { passed: 'ok', failed: 'failed', skipped: 'skipped' } as const;

function stepLines(io: Io, { number, title, note, status, reasons }: StepOutcome): string[] {
  const { red, dim, green } = io.colors;
  const paint = { passed: green, failed: red, skipped: dim }[status];
  const about = note === undefined || status === 'skipped' ? '' : `  ${dim(toOneLine(note, 0))}`;
  const mark = paint(MARKS[status]) + ' '.repeat(MARKS.skipped.length - MARKS[status].length);
  const head = `  ${String(number).padStart(3)}  ${mark}  ${toOneLine(title, 0)}${about}`;
  return [
    head,
    ...reasons.map((reason) => `         ${escapeControlCharacters(reason).replaceAll('\n', '\n         ')}`),
  ];
}

export function formatTotals({ colors }: Io, results: readonly RunScenario[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const passed = `${results.length - failed} passed`;
  return failed === 0 ? `${passed}.` : `${passed}, ${colors.red(`${failed} failed`)}.`;
}

export function toScenarioJson({ name, file, passed, steps, notes, durationMs }: RunScenario) {
  return {
    name,
    file,
    passed,
    duration_ms: durationMs,
    notes,
    steps,
  };
}

/** Creates the control API's scenario service: lists, runs and records scenarios. */
export function createScenarioService(server: SandboxServer, controlToken: string | undefined): Scenarios {
  const running = createInProcessTarget({ ...server, controlToken });
  return {
    list: readBuiltInScenarios,
    run: async ({ name: file = null, scenario: given, fresh: isFresh, signal }): Promise<ScenarioRun> => {
      const read = readScenario(given === undefined ? builtInText(file ?? '') : JSON.stringify(given));
      if ('issues' in read) {
        const details = read.issues.map(({ path, message }) => {
          return { field: `scenario ${path}`.trimEnd(), message };
        });
        throw new Refusal('INVALID_REQUEST', 'The scenario is not valid; nothing ran.', { details });
      }
      const { scenario, fresh } = read;
      const outcome = await (isFresh
        ? withFreshSandbox(fresh, (target) => runScenario(scenario, { target, isFresh, signal }))
        : runScenario(scenario, { target: running, isFresh, signal }));
      const name = scenario.name ?? file ?? 'scenario';
      return {
        passed: outcome.passed,
        sandbox: isFresh ? { kind: 'fresh' } : { kind: 'running', url: server.url },
        scenarios: [{ ...toScenarioJson({ name, file: file ?? '', ...outcome }), file }],
      };
    },
    record: async (name) => {
      const { $schema, ...recorded } = JSON.parse(formatRecording(await fetchRecording(running))) as Scenario;
      return { $schema, ...(name === undefined ? {} : { name }), ...recorded };
    },
  };
}

function builtInText(name: string): string {
  const names = listBuiltInNames();
  if (names.includes(name)) return readFileSync(builtInPath(name), 'utf8');
  const hint = `Built-in scenarios: ${names.join(', ')}.`;
  throw new Refusal('NOT_FOUND', `There is no built-in scenario ${name}.`, { hint });
}
