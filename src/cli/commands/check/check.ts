import type { CheckOptions, Report } from '../../../check/check.js';
import { NotListeningError, runChecks } from '../../../check/engine.js';
import { orderBy, probeBy, restartBy } from '../../../check/hooks.js';
import { checkHtml } from '../../../check/html.js';
import type { Compared, ExitPolicy } from '../../../check/judge.js';
import { baselineOf, compared, decisiveIn, policyOf } from '../../../check/judge.js';
import { OrderError } from '../../../check/orders.js';
import { checkJunit, entryJson, keepReport, reportJson, reportOf } from '../../../check/report.js';
import { isoTime } from '../../../contract/time.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { commandText } from '../../prompts/command-text.js';
import { registerUse } from '../../sandbox/find-sandbox.js';
import { findWebhookSecrets } from '../../signatures/secrets.js';
import { table } from '../../terminal/text.js';
import { annotate } from '../exec/github.js';
import type { check } from './command.js';
import { prepareReport, readBaseline, writeReport } from './files.js';
import { planned } from './plan.js';
import { progressLine } from './progress.js';
import type { Surrounding } from './sandbox.js';
import { surrounding } from './sandbox.js';
import { reportText } from './text.js';
import { chosen } from '../../../check/catalogue.js';

type Invocation = InvocationOf<typeof check>;

/** `sandbox check`: whether a webhook receiver is right; 1 when a check that must hold does not. */
export const checkReceiver: BodyOf<typeof check> = async (invocation) => {
  const { io, options } = invocation;
  if (options.list) return list(invocation);
  const plan = planned(options);
  const baseline = options.baseline === undefined ? { checks: [] } : readBaseline(io, options.baseline);
  // A file that cannot be written is refused before anything is sent.
  for (const [flag, file] of reportFiles(options)) prepareReport(io, flag, file);
  await registerUse(io, 'check');
  await using around = await surrounding(invocation);
  const secret = await secretOf(invocation, around);
  const run = await runFor(invocation, { ...plan, secret, ...hooksOf(invocation, around, secret) });
  if (run === undefined) return EXIT.no;
  const found = compared(run, baseline, Date.now());
  const policy = policyOf(plan, found.known);
  const judged = reportOf(run, policy);
  const report = { ...judged, ok: judged.ok && found.stale.length === 0 };
  present(invocation, report, found, policy);
  await keep(invocation, around, reportJson(report, found));
  if (report.isBudgetSpent) return EXIT.timedOut;
  return report.ok ? EXIT.done : EXIT.no;
};

/** Runs the checks; undefined when the user stopped them. */
async function runFor({ io, options }: Invocation, plan: CheckOptions): Promise<Report | undefined> {
  if (!io.json) io.note(`Checking ${plan.to instanceof URL ? plan.to.href : ''}`);
  const progress = progressLine(io);
  const onLearned = (text: string) => {
    if (!io.json) io.note(text);
  };
  try {
    return await runChecks({ ...plan, signal: io.stopping, onLearned, onProgress: progress.show });
  } catch (error) {
    if (io.stopping.aborted) return undefined;
    if (error instanceof OrderError) {
      const fixed =
        'An application with a fixed address needs --port, or --use-running; the command gets the environment block.';
      const hint = options.useRunning
        ? 'Run it by hand: it has to create the order, and a charge in the running sandbox.'
        : fixed;
      throw usageError(error.message, hint);
    }
    if (error instanceof NotListeningError) throw notListening(error);
    throw error;
  } finally {
    progress.end();
  }
}

function notListening({ message }: NotListeningError): CliError {
  const hint =
    'Start your application, or correct the address in --forward-to. --wait sets how long to wait for it.';
  return new CliError(EXIT.no, 'NOT_LISTENING', message, { hint });
}

function present({ io, options }: Invocation, report: Report, found: Compared, policy: ExitPolicy): void {
  const { junit, html, writeBaseline } = options;
  if (junit !== undefined) writeReport(io, '--junit', junit, checkJunit(report, policy));
  if (html !== undefined) writeReport(io, '--html', html, checkHtml(report, isoTime(Date.now())));
  if (writeBaseline !== undefined) {
    const text = JSON.stringify(baselineOf(report, Date.now()), null, 2);
    writeReport(io, '--write-baseline', writeBaseline, `${text}\n`);
  }
  io.emit(reportJson(report, found));
  io.say(
    reportText(io, report, {
      ...found,
      isVerbose: options.verbose,
      again: againOf(options),
      unnamed: unnamedIn(options),
    }),
  );
  const decisive = decisiveIn(report.checks, policy);
  if (!report.ok && decisive.length === 0) annotate(io, 'check', [report.headline, ...found.stale].join(' '));
  for (const { id, reason, got, fix } of decisive) {
    annotate(io, 'check', reason === null ? `${id}: ${got}. Fix: ${fix}.` : `${id}: not observed: ${reason}`);
  }
}

/** Shows the report in the console of the sandbox that runs, if one does. */
async function keep(
  { io, options }: Invocation,
  { running }: Surrounding,
  report: ReturnType<typeof reportJson>,
): Promise<void> {
  if (running === undefined) return;
  const again = commandText('check', [], againOf(options));
  if ((await keepReport(running, { ...report, again })) && !io.json)
    io.note(`The console shows the report: ${running.url}/check`);
}

/** Returns the options for another run. Secrets and headers, which may hold some, are left out. */
function againOf(options: Invocation['options']) {
  const { forwardTo, probe, order, restart, secretFile, port, without, wait, effectTimeout } = options;
  return {
    forwardTo,
    probe,
    order,
    restart,
    secretFile,
    port: port?.toString(),
    useRunning: options.useRunning || undefined,
    without: without?.join(','),
    wait: wait?.text,
    effectTimeout: effectTimeout?.text,
    probeIgnore: options.probeIgnore,
    yesRemote: options.yesRemote || undefined,
  };
}

/** Names the options that the command for another run has to repeat, and that it does not show. */
function unnamedIn({ secret, header }: Invocation['options']): string {
  const flags = [secret.length > 0 ? '--secret' : '', header.length > 0 ? '--header' : ''];
  const used = flags.filter((flag) => flag !== '');
  return used.length === 0 ? '' : `the same ${used.join(' and ')}`;
}

function reportFiles({ junit, html, writeBaseline }: Invocation['options']): [flag: string, file: string][] {
  const files = { '--junit': junit, '--html': html, '--write-baseline': writeBaseline };
  return Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** The one secret to sign with; with `--order` that of its sandbox, where none is named. */
async function secretOf(invocation: Invocation, { env }: Surrounding): Promise<string> {
  const { io, options } = invocation;
  const isNamed =
    options.secret.length > 0 || options.secretFile !== undefined || io.env.SANDBOX_WEBHOOK_SECRET;
  if (!isNamed && env.SANDBOX_WEBHOOK_SECRET !== undefined) return env.SANDBOX_WEBHOOK_SECRET;
  const [found, ...others] = await findWebhookSecrets(invocation);
  if (found !== undefined && others.length === 0) return found.secret;
  throw usageError(
    `A check signs with one secret; got ${others.length + 1}.`,
    'Leave all but one of them out.',
  );
}

function hooksOf({ io, options }: Invocation, { sandbox, env }: Surrounding, secret: string) {
  const { probe, order, restart } = options;
  const where = { cwd: io.cwd, env: { ...io.env, ...env, SANDBOX_WEBHOOK_SECRET: secret } };
  return {
    sandbox,
    probe: probe === undefined ? undefined : probeBy(probe, where),
    order: order === undefined ? undefined : orderBy(order, where),
    restart: restart === undefined ? undefined : restartBy(restart, where),
  };
}

function list({ io, options: { only, skip, without } }: Invocation): number {
  const split = (text: string | undefined) => text?.split(',');
  const checks = chosen({ only: split(only), skip: split(skip), without });
  io.emit({ checks: checks.map(entryJson) });
  io.say(
    table<(typeof checks)[number]>(io, checks, [
      { title: 'ID', value: ({ id }) => id },
      { title: 'LEVEL', value: ({ level }) => level },
      { title: 'NEEDS', value: ({ needs = [] }) => needs.join(' ') },
      { title: 'SENDS', value: ({ sends }) => sends, leastWidth: 20 },
      { title: 'WRITTEN', value: ({ clause }) => clause, optional: true },
    ]),
  );
  return EXIT.done;
}
