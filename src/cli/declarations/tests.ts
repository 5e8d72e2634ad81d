import { completeFiles, type ValueSource } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import { createUsageError } from '../program/errors.js';
import {
  defineChoice,
  defineCount,
  defineDuration,
  defineFlag,
  acceptRest,
  defineText,
  defineTexts,
  defineValue,
} from '../program/options.js';
import {
  FAULT_OPTIONS,
  RESTART_OPTIONS,
  SANDBOX_OPTIONS,
  SCENARIO_OPTIONS,
  defineSettings,
} from '../program/setting-options.js';
import { defineSimulate, WEBHOOK_SECRET_FACT, WEBHOOK_SECRET_OPTIONS } from '../program/shared-options.js';
import { type Placeholder, containsPlaceholder, parseRequest } from '../../text/shell/placeholders.js';

const { forwardTo, events, retries, port } = defineSettings('forwardTo', 'events', 'retries', 'port');
const FORWARDED = {
  forwardTo: { ...forwardTo, description: 'deliver webhooks to your application' },
  events: { ...events, description: '--forward-to: deliver only these events, e.g. pix.*' },
};

const ids: ValueSource = async () => {
  const { CHECK_CATALOG: CATALOG } = await import('../../check/catalog.js');
  return { candidates: CATALOG.map(({ id, passes }) => ({ value: id, description: passes })) };
};

export const check = declareCommand({
  name: 'check',
  summary: 'check a webhook receiver: signatures, repeats, order, speed',
  description:
    'Sends valid, forged, repeated and reordered webhooks, and explains each failure. With ' +
    '--probe and --order, also checks their effects on your application’s orders; ' +
    'otherwise, checks only signatures and transport. {code} and {id} stand for the order ' +
    'and its charge, and {amount} for a new order’s amount. Orders are created in a ' +
    'separate sandbox; all commands receive its environment block. The checks change your ' +
    'application’s data. Exit code 0 means that every `must` check was observed and passed.',
  options: {
    forwardTo: {
      ...forwardTo,
      description: 'your receiver: 3000/webhooks, /hook, host:port/path or a URL',
      repeats: false,
      read: (given: unknown) => [given ?? []].flat().map(String),
    },
    ...defineSettings('check.probe', 'check.order', 'check.restart', 'env'),
    ...WEBHOOK_SECRET_OPTIONS,
    header: defineTexts('header', "a header to add to every request: 'Name: value'"),
    ...defineSettings('check.port', 'check.useRunning'),
    only: defineText('ids', 'only these checks, e.g. refuse.prefix or dup', ids),
    skip: defineText('ids', 'skip these checks', ids),
    ...defineSettings('check.without'),
    require: defineChoice('scope', 'effects: fail without --probe and --order', ['effects']),
    allowUnobserved: defineText('ids', 'succeed even if these checks were not observed', ids),
    strict: defineFlag('also fail on warnings and unobserved checks'),
    baseline: defineText(
      'file',
      'file of known failures and unobserved checks, each with a reason and an expiry date',
      completeFiles,
    ),
    writeBaseline: defineText('file', 'write a baseline file for the current results', completeFiles),
    budget: defineDuration('duration', 'time limit for all checks (default: 2m)'),
    wait: defineDuration('duration', 'time to wait for the receiver to listen (default: 10s)'),
    effectTimeout: defineDuration('duration', 'time limit for the effect of an event (default: 15s)'),
    probeIgnore: defineTexts('place', 'a field to ignore in the --probe output, e.g. updated_at'),
    list: defineFlag('list the checks'),
    junit: defineText('file', 'also write the results as JUnit XML', completeFiles),
    html: defineText('file', 'also write a report to open in a browser', completeFiles),
    verbose: defineFlag('show every request and response'),
    yesRemote: defineFlag('allow a receiver on another machine'),
  },
  examples: [
    '--list',
    '--forward-to 3000/webhooks',
    '--forward-to 3000 --probe http://localhost:3000/o/{code}',
    '--forward-to 3000 --without withdrawals --strict',
    '--forward-to 3000 --only refuse --junit report.xml',
  ],
  exits: {
    1: 'a `must` check failed, or was not observed',
    3: '--use-running: no sandbox is running',
    4: 'the time budget ran out',
    5: '--order: the port is in use',
  },
  related: ['verify', 'exec', 'doctor'],
  environment: [WEBHOOK_SECRET_FACT],
});

export const exec = declareCommand({
  name: 'exec',
  summary: 'run a command with its own sandbox, and return the command’s exit code',
  description:
    'The command receives the environment block. With --fail-on unverified, each receiver gets a ' +
    'forged copy after the first event that it accepts, and must refuse the copy. An unused ' +
    'sandbox causes a warning, or with any --fail-on a failure. After the command exits, ' +
    'deliveries, and with --fail-on undelivered also their retries, have up to 15 s to finish. A ' +
    'frozen clock advances to the next due attempt as soon as nothing is in flight; ' +
    'with --faults, any clock does, and retries follow the real schedule. {port} in the command, ' +
    '--forward-to and --restart is a free port, which the command also receives as PORT. The ' +
    'command’s stdout is passed through; with --json, the output goes to stderr, and stdout is one JSON object.',
  args: { command: acceptRest(completeFiles) },
  options: {
    ...FORWARDED,
    retries: {
      ...retries,
      description: '--forward-to: retry schedule: real, fast or off (default: fast, with --faults real)',
    },
    simulate: defineSimulate('--forward-to: simulate the results of attempts 1, 2, …'),
    ...defineSettings('failOn'),
    allowUnused: defineFlag('--fail-on: also succeed if nothing used the sandbox'),
    probeForged: defineFlag('no longer needed: --fail-on unverified sends a forged copy automatically'),
    ...SCENARIO_OPTIONS,
    ...FAULT_OPTIONS,
    port: { ...port, description: 'port of the sandbox (default: a free one)' },
    ...SANDBOX_OPTIONS,
    quiet: defineFlag('hide deliveries'),
  },
  examples: [
    '-- npm test',
    '--forward-to 3000 --fail-on unverified -- npm test',
    '--forward-to 3000 --fail-on unverified,ledger -- sh e2e.sh',
    '--seed 7 --freeze 2026-01-31T12:00:00Z -- npm test',
  ],
  exits: {
    1: 'with --fail-on: a problem was found, or nothing used the sandbox',
    5: '',
    126: 'the command cannot be run',
    127: 'the command was not found',
    n: 'any other code is the command’s own',
  },
  related: ['start', 'run', 'explore', 'wait'],
});

// `explore` defines its own `--strict`, for flaky findings.
const { strict: _strict, seed, ...OF_SANDBOX } = SANDBOX_OPTIONS;

const FAULT_CHOICES = ['promised', 'all'] as const;
const PAIRS_MAX = 10_000;

export const exploreDeclaration = declareCommand({
  name: 'explore',
  summary: 'find the failure scenarios that break your tests, and reproduce them',
  description:
    'Runs your tests repeatedly, each time in a new sandbox with one fault that the ' +
    'contract allows, such as a repeated or late webhook; then with two faults. Faults that break ' +
    'your tests are minimized and written to a file that `exec --faults` uses to ' +
    'reproduce the failure. First, three runs without faults must pass. Webhooks ' +
    'follow the real retry schedule, on a clock that advances when the sandbox is idle. {port} in ' +
    'the command, and in the values of --forward-to, --restart and --probe, is a free port ' +
    'of the run, which the command also receives as PORT. --probe is queried after your tests have ' +
    'ended, so your application must still be running.',
  args: { command: acceptRest(completeFiles) },
  options: {
    budget: defineDuration('duration', 'time limit for all runs (default: 5m)'),
    faults: defineChoice(
      'class',
      'promised: only faults that the contract allows; all: also outages (default: promised)',
      FAULT_CHOICES,
      '--faults',
    ),
    only: defineText('path', 'only the faults in this file or directory, combined', completeFiles),
    pairs: defineValue(
      {
        placeholder: 'n',
        description: 'pairs of faults to try after single faults (default: as many as the budget allows)',
      },
      pairsOf,
    ),
    seed: { ...seed, description: 'seed for the plan, ids and random choices (default: 1)' },
    ...defineSettings('explore.command'),
    probe: defineText('command', 'a command or URL that returns your data for order {code}'),
    ...RESTART_OPTIONS,
    jobs: defineCount('n', 'concurrent runs, each with its own PORT (default: 1)'),
    out: defineText(
      'directory',
      'directory for the results (default: a new directory in .sandbox/explore)',
      completeFiles,
    ),
    junit: defineText('file', 'also write the results as JUnit XML', completeFiles),
    strict: defineFlag('also fail on flaky findings'),
    ...FORWARDED,
    ...SCENARIO_OPTIONS,
    ...OF_SANDBOX,
  },
  examples: [
    '-- npm test',
    '--budget 2m --pairs 200 --seed 7 -- npm test',
    "--jobs 2 --forward-to '{port}/webhooks' -- npm test",
    "--faults all --restart 'sh restart.sh' -- npm test",
  ],
  exits: {
    1: 'an application breaks under a fault',
    2: 'a usage error, or tests that fail or are flaky without faults',
    4: 'the time budget ran out without a finding',
    126: 'the command cannot be run',
    127: 'the command was not found',
  },
  related: ['exec', 'check', 'faults'],
});

function pairsOf(given: string, name: string): number {
  const value = /^\d{1,6}$/.test(given) ? Number(given) : Number.NaN;
  if (value <= PAIRS_MAX) return value;
  throw createUsageError(`${name} must be a number from 0 to ${PAIRS_MAX}; got ${given}.`);
}

export const run = declareCommand({
  name: 'run',
  summary: 'run scenario files or built-in scenarios',
  description:
    'Uses the running sandbox, otherwise a fresh one for each scenario. A name without a directory or ' +
    'extension is a built-in scenario. An invalid file is rejected before anything runs.',
  args: {
    files: acceptRest(async () => {
      const { listBuiltInNames } = await import('../commands/run/scenarios.js');
      const candidates = listBuiltInNames().map((value) => ({ value, description: 'built in' }));
      return { candidates, paths: 'files' };
    }),
  },
  options: {
    list: defineFlag('list the built-in scenarios'),
    fresh: defineFlag('run each scenario in its own sandbox, even if one is running'),
    forwardTo: defineText('target', 'forward deliveries accepted by the receiver to your application'),
    junit: defineText('file', 'also write the results as JUnit XML (- for stdout)', completeFiles),
    bail: defineFlag('stop after the first failure'),
    record: defineText('file', 'write a scenario from the running sandbox’s history', completeFiles),
    force: defineFlag('--record: overwrite an existing file'),
  },
  examples: [
    '--list',
    'paid retries-to-dead-letter-and-recovery --fresh',
    'checks/*.json --junit report.xml',
  ],
  exits: { 1: 'a scenario failed', 3: 'with --record or --url: no sandbox is running' },
  related: ['exec', 'fixtures', 'reset'],
});

/** Throws a usage error for a probe or an order command that does not identify its order. */
export function checkPlaceholders({
  probe,
  order,
}: {
  probe?: string | undefined;
  order?: string | undefined;
}): void {
  checkPlaceholder('--probe', probe, ['{code}', '{id}']);
  checkPlaceholder('--order', order, ['{code}']);
}

function checkPlaceholder(
  flag: '--probe' | '--order',
  text: string | undefined,
  placeholders: readonly Placeholder[],
): void {
  if (text === undefined) return;
  const example =
    flag === '--probe'
      ? "For example: --probe 'curl -s localhost:3000/orders/{code}'"
      : `For example: --order 'curl -s -X PUT localhost:3000/orders/{code}', or for a route that reads JSON: ` +
        formatJsonOrder(parseRequest(text, 'POST'));
  if (!containsPlaceholder(text, placeholders))
    throw createUsageError(
      `${flag} must identify the order with ${placeholders.join(' or ')}; got ${text}`,
      example,
    );
}

/** Formats an order command for a JSON route, at the passed URL if there is one. */
function formatJsonOrder({ method = 'POST', url = 'http://localhost:3000/orders' } = {}): string {
  const body = String.raw`{\"code\":\"{code}\",\"amount\":\"{amount}\"}`;
  const request = method === 'POST' ? '' : `-X ${method} `;
  return `--order "curl -sf ${request}${url} -H 'content-type: application/json' -d '${body}'"`;
}
