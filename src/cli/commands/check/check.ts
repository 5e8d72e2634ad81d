import type { CheckOptions, CheckProgress, CheckReport } from '../../../check/check.js';
import { resolveAllowedIds, selectChecks } from '../../../check/catalog.js';
import { NotListeningError, runChecks } from '../../../check/engine.js';
import { createOrderHook, createProbeHook } from '../../../check/hooks.js';
import { runRestart, usesPort } from '../../../child.js';
import type { CheckBaseline, BaselineComparison, ExitPolicy } from '../../../check/judge.js';
import {
  BASELINE_SCHEMA,
  createCheckBaseline,
  compareWithBaseline,
  filterDecisive,
  resolveExitPolicy,
} from '../../../check/judge.js';
import { OrderError } from '../../../check/orders.js';
import {
  checkHtml,
  checkJunit,
  toEntryJson,
  storeReport,
  toReportJson,
  createReport,
} from '../../../check/report.js';
import { formatIsoTime } from '../../../contract/time.js';
import { type BodyOf, listPassedFlags, type InvocationOf } from '../../program/declaration.js';
import { type check, checkPlaceholders } from '../../declarations/tests.js';
import { omitConfigured } from '../../program/configured-options.js';
import { CliError, EXIT_CODES, createUsageError } from '../../program/errors.js';
import { formatCommand, toCommandOptions } from '../../prompts/prompter.js';
import { findSandbox, reportUsage } from '../../sandbox/find-sandbox.js';
import { findWebhookSecrets } from '../../signatures/secrets.js';
import { annotateForCi, createProgressLine, formatTable } from '../../terminal/text.js';
import { openFaultControl } from '../../faults/faults.js';
import { formatProgress, formatCheckReport, WAITING_TEXT } from './text.js';
import { getErrorMessage } from '../../../text/errors.js';
import { containsPlaceholder } from '../../../text/shell/placeholders.js';
import { mapEnvironment } from '../../../text/environment.js';
import { redactUrl } from '../../../text/redaction.js';
import { isLoopback } from '../../../delivery/addresses.js';
import { parseForwardTarget, planHeaders } from '../listen/plan.js';
import type { ControlClient } from '../../../client/control.js';
import { openServer } from '../start/open-server.js';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readJsonText } from '../../../schema/json-text.js';
import { formatPath, sortByPosition } from '../../../schema/schema.js';
import { findIssues } from '../../../schema/sentences.js';
import { withFileErrors, prepareReport, writeReport } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { parseMapping } from '../../program/options.js';

type Invocation = InvocationOf<typeof check>;

/** Runs `sandbox check` against a webhook receiver. Exits with 1 if a required check fails. */
export const checkReceiver: BodyOf<typeof check> = async (invocation) => {
  const { io, options } = invocation;
  if (options.list) return list(invocation);
  const plan = planCheck(options);
  const baseline = options.baseline === undefined ? { checks: [] } : readBaseline(io, options.baseline);
  // Fail on an unwritable report file before sending anything.
  for (const [flag, file] of reportFiles(options)) prepareReport(io, flag, file);
  await reportUsage(io, 'check');
  await using around = await openCheckEnvironment(invocation);
  const secret = await secretOf(invocation, around);
  const run = await runFor(invocation, { ...plan, secret, ...hooksOf(invocation, around, secret) });
  if (run === undefined) return EXIT_CODES.no;
  const found = compareWithBaseline(run, baseline, Date.now());
  const policy = resolveExitPolicy(plan, found.known);
  const judged = createReport(run, policy);
  const report = { ...judged, ok: judged.ok && found.stale.length === 0 };
  present(invocation, report, found, policy);
  await publishReport(invocation, around, toReportJson(report, found));
  if (report.isBudgetSpent) return EXIT_CODES.timedOut;
  return report.ok ? EXIT_CODES.done : EXIT_CODES.no;
};

/** Runs the checks; returns undefined if the user stopped them. */
async function runFor({ io, options }: Invocation, plan: CheckOptions): Promise<CheckReport | undefined> {
  if (!io.json) io.note(`Checking ${plan.to instanceof URL ? plan.to.href : ''}`);
  const progress = createProgressLine(io, WAITING_TEXT);
  const onProgress = (news: CheckProgress) => progress.show(formatProgress(news));
  const onBaseline = (text: string) => {
    if (!io.json) io.note(text);
  };
  try {
    return await runChecks({ ...plan, signal: io.stopping, onBaseline, onProgress });
  } catch (error) {
    if (io.stopping.aborted) return undefined;
    if (error instanceof OrderError) {
      const hint = options.useRunning
        ? 'Run the command manually: it must create the order and, in the running sandbox, a charge.'
        : 'If your application expects a fixed sandbox URL, pass --port or --use-running; the ' +
          'command receives the environment block.';
      throw createUsageError(error.message, hint);
    }
    if (error instanceof NotListeningError) {
      const hint =
        'Start your application, or correct the address in --forward-to. To wait longer for the ' +
        'receiver, increase --wait.';
      throw new CliError(EXIT_CODES.no, 'NOT_LISTENING', error.message, { hint });
    }
    throw error;
  } finally {
    progress.end();
  }
}

function present(
  invocation: Invocation,
  report: CheckReport,
  found: BaselineComparison,
  policy: ExitPolicy,
): void {
  const { io, options } = invocation;
  const { junit, html, writeBaseline } = options;
  if (junit !== undefined) writeReport(io, '--junit', junit, checkJunit(report, policy));
  if (html !== undefined) writeReport(io, '--html', html, checkHtml(report, formatIsoTime(Date.now())));
  if (writeBaseline !== undefined) {
    const text = JSON.stringify(createCheckBaseline(report, Date.now()), null, 2);
    writeReport(io, '--write-baseline', writeBaseline, `${text}\n`);
  }
  io.emit(toReportJson(report, found));
  io.say(
    formatCheckReport(io, report, {
      ...found,
      isVerbose: options.verbose,
      again: getRerunOptions(invocation),
      unnamed: listOmittedSecrets(options),
    }),
  );
  const decisive = filterDecisive(report.checks, policy);
  if (!report.ok && decisive.length === 0)
    annotateForCi(io, 'check', [report.headline, ...found.stale].join(' '));
  for (const { id, reason, got, fix } of decisive) {
    annotateForCi(
      io,
      'check',
      reason === null ? `${id}: ${got}. Fix: ${fix}.` : `${id}: not observed: ${reason}`,
    );
  }
}

/** Publishes the report to the running sandbox's console. */
async function publishReport(
  invocation: Invocation,
  { running }: CheckEnvironment,
  report: ReturnType<typeof toReportJson>,
): Promise<void> {
  const { io } = invocation;
  if (running === undefined) return;
  const again = formatCommand('check', [], getRerunOptions(invocation));
  if ((await storeReport(running, { ...report, again })) && !io.json)
    io.note(`See the report in the console: ${running.url}/check`);
}

function getRerunOptions({ io, options }: Invocation) {
  const { probe, order, restart, secretFile, port, useRunning, without, wait } = options;
  const { effectTimeout, probeIgnore, yesRemote, env } = options;
  const again = { forwardTo: listReceivers(options), probe, order, restart, secretFile, env };
  const more = { port, useRunning, without, wait, effectTimeout, probeIgnore, yesRemote };
  return omitConfigured('check', toCommandOptions({ ...again, ...more }), io);
}

/** Lists the secret options omitted from the printed command. */
function listOmittedSecrets({ secret, header }: Invocation['options']): string {
  const used = listPassedFlags({ secret, header }, ['secret', 'header']);
  return used.length === 0 ? '' : `the same ${used.join(' and ')}`;
}

function reportFiles({ junit, html, writeBaseline }: Invocation['options']): [flag: string, file: string][] {
  const files = { '--junit': junit, '--html': html, '--write-baseline': writeBaseline };
  return Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Returns the signing secret: the specified one, or with `--order` the sandbox's. */
async function secretOf(invocation: Invocation, { env }: CheckEnvironment): Promise<string> {
  const { io, options } = invocation;
  const isNamed =
    options.secret.length > 0 || options.secretFile !== undefined || io.env.SANDBOX_WEBHOOK_SECRET;
  if (!isNamed && env.SANDBOX_WEBHOOK_SECRET !== undefined) return env.SANDBOX_WEBHOOK_SECRET;
  const [found, ...others] = await findWebhookSecrets(invocation);
  if (found !== undefined && others.length === 0) return found.secret;
  throw createUsageError(
    `check requires exactly one secret; got ${others.length + 1}.`,
    'Pass only one secret.',
  );
}

function hooksOf({ io, options }: Invocation, { sandbox, env }: CheckEnvironment, secret: string) {
  const { probe, order, restart } = options;
  const block = mapEnvironment({ ...env, SANDBOX_WEBHOOK_SECRET: secret }, parseMapping(options.env));
  const where = { cwd: io.cwd, env: { ...io.env, ...block } };
  return {
    sandbox,
    probe: probe === undefined ? undefined : createProbeHook(probe, where),
    order: order === undefined ? undefined : createOrderHook(order, where),
    restart: restart === undefined ? undefined : () => runRestart(restart, where),
  };
}

function list({ io, options: { only, skip, without } }: Invocation): number {
  const split = (text: string | undefined) => text?.split(',');
  const checks = selectChecks({ only: split(only), skip: split(skip), without });
  io.emit({ checks: checks.map(toEntryJson) });
  io.say(
    formatTable<(typeof checks)[number]>(io, checks, [
      { title: 'ID', value: ({ id }) => id },
      { title: 'LEVEL', value: ({ level }) => level },
      { title: 'NEEDS', value: ({ needs = [] }) => needs.join(' ') },
      { title: 'SENDS', value: ({ sends }) => sends, wraps: true },
      { title: 'CONTRACT', value: ({ clause }) => clause, optional: true },
    ]),
  );
  return EXIT_CODES.done;
}

const DEFAULT_WAIT_MS = 10_000;

type Options = InvocationOf<typeof check>['options'];

type Planned = Omit<CheckOptions, 'to' | 'secret'> & { readonly to: URL };

function planCheck(options: Options): Planned {
  const { only, skip } = options;
  const [receiver, ...others] = listReceivers(options);
  if (receiver === undefined) {
    throw createUsageError(
      'check requires a receiver.',
      'Pass --forward-to 3000/webhooks, or set forwardTo in sandbox.config.json.',
    );
  }
  if (others.length > 0) {
    throw createUsageError(
      `check requires exactly one receiver; got ${[receiver, ...others].join(' and ')}.`,
      'Pass --forward-to, or set check.forwardTo in sandbox.config.json.',
    );
  }
  const to = parseForwardTarget(receiver);
  if (!isLoopback(to) && !options.yesRemote) {
    throw createUsageError(
      `${redactUrl(to.href)} is not on this machine, and checks change the application’s data.`,
      'To check your own test environment, add --yes-remote.',
    );
  }
  checkPlaceholders(options);
  const [unused] = options.order === undefined ? listPassedFlags(options, ['useRunning', 'port']) : [];
  if (unused !== undefined)
    throw createUsageError(`${unused} requires --order; otherwise, no sandbox is used.`);
  const named = { only: namesIn(only), skip: namesIn(skip), without: options.without };
  const allowUnobserved = namesIn(options.allowUnobserved);
  try {
    selectChecks(named);
    resolveAllowedIds(allowUnobserved ?? []);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw createUsageError(getErrorMessage(error), 'npx sandbox check --list');
  }
  return {
    to,
    ...named,
    allowUnobserved,
    headers: planHeaders(options.header),
    strict: options.strict,
    requireEffects: options.require === 'effects',
    takesAmount: options.order !== undefined && containsPlaceholder(options.order, ['{amount}']),
    budgetMs: options.budget?.ms,
    waitMs: options.wait?.ms ?? DEFAULT_WAIT_MS,
    effectTimeoutMs: options.effectTimeout?.ms,
    probeIgnore: options.probeIgnore,
  };
}

/** Lists the receivers. A target with {port} is the application of a run of `explore`. */
function listReceivers({ forwardTo }: Options): readonly string[] {
  return forwardTo.filter((target) => !usesPort([target]));
}

function namesIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((name) => name.trim());
}

/** Sandbox used by the application. */
interface CheckEnvironment extends AsyncDisposable {
  readonly sandbox: { readonly control: ControlClient; readonly settles: boolean } | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Client for storing the report. */
  readonly running: ControlClient | undefined;
}

/** Starts a sandbox for `--order`, or finds the running one. */
async function openCheckEnvironment(invocation: Invocation): Promise<CheckEnvironment> {
  const { order, useRunning } = invocation.options;
  if (order !== undefined && !useRunning) return ownSandbox(invocation);
  const running = order === undefined ? findSandboxIfRunning(invocation) : findSandbox(invocation);
  const close = () => Promise.resolve(running?.close());
  const around = { sandbox: undefined, env: {}, running, [Symbol.asyncDispose]: close };
  if (order === undefined || running === undefined) return around;
  try {
    return { ...around, sandbox: { control: running, settles: false }, env: await running.get('env') };
  } catch (error) {
    running.close();
    throw error;
  }
}

/** Finds this project's sandbox, if any: publishing the report is optional. */
function findSandboxIfRunning(invocation: Invocation): ControlClient | undefined {
  try {
    return findSandbox(invocation);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function ownSandbox({ io, options: { port = 0 } }: Invocation): Promise<CheckEnvironment> {
  const server = await openServer({ port }, io).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.exitCode !== EXIT_CODES.portTaken) throw error;
    const hint =
      'To use this project’s running sandbox, pass --use-running. To use a free port, omit --port.';
    throw new CliError(EXIT_CODES.portTaken, 'PORT_TAKEN', error.message, { hint });
  });
  await server.open();
  const sandbox = { control: openFaultControl(server), settles: true };
  const close = () => server.close();
  return { sandbox, env: { ...server.env }, running: undefined, [Symbol.asyncDispose]: close };
}

/** Reads a baseline file. Throws a usage error for the first issue. */
function readBaseline({ cwd }: Pick<Io, 'cwd'>, file: string): CheckBaseline {
  const text = withFileErrors(
    { verb: 'read', name: file, hint: '--write-baseline creates a baseline file.' },
    () => readFileSync(resolve(cwd, file), 'utf8'),
  );
  const json = readJsonText(text.replace(/^\ufeff/, ''));
  if (!json.isJson)
    throw createUsageError(`${file}:${json.place.line}:${json.place.column} ${json.problem}.`);
  const [mistake] = sortByPosition(findIssues(BASELINE_SCHEMA, json.value), json.placeOf);
  if (mistake === undefined) return json.value as CheckBaseline;
  const { line, column, path, message } = mistake;
  throw createUsageError(
    `${file}:${line}:${column} ${formatPath(path)}: ${message}`,
    'Each entry has the fields id, reason and expires.',
  );
}
