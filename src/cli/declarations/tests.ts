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
import { type Placeholder, containsPlaceholder } from '../../text/shell/placeholders.js';

const { forwardTo, events, retries, port } = defineSettings('forwardTo', 'events', 'retries', 'port');
const FORWARDED = {
  forwardTo: { ...forwardTo, description: 'deliver webhooks to your application' },
  events: { ...events, description: '--forward-to: only these, such as pix.*' },
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
    '--probe and --order it also checks their effects on orders of your application; ' +
    'without, it checks signatures and transport only. {code} and {id} stand for the order ' +
    'and its charge, {amount} for the amount of a new order. Orders are created in a ' +
    'separate sandbox, whose environment block all commands get. It changes data of the ' +
    'application. Exit code 0 means that every must was observed and holds.',
  options: {
    forwardTo: defineText('target', 'your receiver: 3000/webhooks, /hook, host:port/path or a URL'),
    probe: defineText('command', 'a command or URL that prints what you hold for the order {code}'),
    order: defineText(
      'command',
      'a command or URL (POST) that creates the order {code}, if it can for {amount}',
    ),
    restart: defineText('command', 'a command that restarts your application'),
    ...WEBHOOK_SECRET_OPTIONS,
    header: defineTexts('header', "a header for every request, 'Name: value'"),
    port: { ...port, description: '--order: port of the sandbox (default: a free one)' },
    useRunning: defineFlag('--order: use the sandbox of this project, which runs already'),
    only: defineText('ids', 'only these, such as refuse.prefix or dup', ids),
    skip: defineText('ids', 'all but these', ids),
    ...defineSettings('check.without'),
    require: defineChoice('scope', 'fail without --probe and --order: effects', ['effects']),
    allowUnobserved: defineText('ids', 'succeed although these were not observed', ids),
    strict: defineFlag('warnings and unobserved checks fail, too'),
    baseline: defineText(
      'file',
      'known failures and unobserved checks, each with a reason and a last day',
      completeFiles,
    ),
    writeBaseline: defineText('file', 'write such a file of the current ones', completeFiles),
    budget: defineDuration('duration', 'time limit for all checks (default: 2m)'),
    wait: defineDuration('duration', 'wait this long until the receiver listens (default: 10s)'),
    effectTimeout: defineDuration('duration', 'time limit for the effect of an event (default: 15s)'),
    probeIgnore: defineTexts('place', 'a place in the output of --probe to ignore, such as updated_at'),
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
    1: 'a must failed, or was not observed',
    3: '--use-running: no sandbox is running',
    4: 'the budget was spent',
    5: '--order: the port is taken',
  },
  related: ['verify', 'exec', 'doctor'],
  environment: [WEBHOOK_SECRET_FACT],
});

export const exec = declareCommand({
  name: 'exec',
  summary: 'run a command with its own sandbox, and return its exit code',
  description:
    'The command gets the environment block. With --fail-on unverified, each receiver gets a ' +
    'forged copy after the first event that it accepts, and has to refuse it. A sandbox that ' +
    'nothing used is a warning, and with any --fail-on a failure. After the command ends, ' +
    'deliveries have up to 15 s to finish, with --fail-on undelivered also their retries. A ' +
    'frozen clock moves to each attempt that is due next, as soon as nothing is in flight; ' +
    'with --faults any clock does, and the schedule is the real one. {port} in the command, ' +
    '--forward-to and --restart is a free port, which the command also gets as PORT. Its ' +
    'stdout is passed through; with --json it goes to stderr, and stdout carries one object.',
  args: { command: acceptRest(completeFiles) },
  options: {
    ...FORWARDED,
    retries: {
      ...retries,
      description: '--forward-to: real, fast or off (default: fast, with --faults real)',
    },
    simulate: defineSimulate('--forward-to: what attempts 1, 2, … hit instead'),
    ...defineSettings('failOn'),
    allowUnused: defineFlag('--fail-on: succeed also if nothing used the sandbox'),
    probeForged: defineFlag('no longer needed: --fail-on unverified sends a forged copy automatically'),
    ...SCENARIO_OPTIONS,
    ...FAULT_OPTIONS,
    port: { ...port, description: 'port of the sandbox (default: a free one)' },
    ...SANDBOX_OPTIONS,
    quiet: defineFlag('do not show the deliveries'),
  },
  examples: [
    '-- npm test',
    '--forward-to 3000 --fail-on unverified -- npm test',
    '--forward-to 3000 --fail-on unverified,ledger -- sh e2e.sh',
    '--seed 7 --freeze 2026-01-31T12:00:00Z -- npm test',
  ],
  exits: {
    1: 'with --fail-on: the sandbox saw a problem, or nothing used it',
    5: '',
    126: 'the command cannot be run',
    127: 'the command was not found',
    n: 'any other code is that of the command',
  },
  related: ['start', 'run', 'explore', 'wait'],
});

// Here --strict is about what was found.
const { strict: _strict, seed, ...OF_SANDBOX } = SANDBOX_OPTIONS;

const FAULT_CHOICES = ['promised', 'all'] as const;
const PAIRS_MAX = 10_000;

export const exploreDeclaration = declareCommand({
  name: 'explore',
  summary: 'find the failure scenarios that break your tests, and reproduce them',
  description:
    'Runs your tests again and again, each time in its own sandbox with one fault that the ' +
    'contract allows, such as a repeated or late webhook; then with two. Faults that break ' +
    'them are reduced to the fewest and written to a file, with which `exec --faults` ' +
    'reproduces the failure. Three runs without faults come first and have to pass. Webhooks ' +
    'are retried by the real schedule, on a clock that moves whenever all is idle. {port} in ' +
    'the command, and in the values of --forward-to, --restart and --probe, is a free port ' +
    'of the run, which the command also gets as PORT. --probe is asked when your tests have ' +
    'ended, so it needs an application that outlives them.',
  args: { command: acceptRest(completeFiles) },
  options: {
    budget: defineDuration('duration', 'time for all runs (default: 5m)'),
    faults: defineChoice(
      'class',
      'promised: what the contract allows; all: also outages (default: promised)',
      FAULT_CHOICES,
      '--faults',
    ),
    only: defineText('path', 'only the faults of this file or directory, together', completeFiles),
    pairs: defineValue(
      {
        placeholder: 'n',
        description: 'pairs of faults to try after single ones (default: as many as the budget allows)',
      },
      pairsOf,
    ),
    seed: { ...seed, description: 'the plan, ids and chances derive from it (default: 1)' },
    probe: defineText('command', 'a command or URL that prints what you hold for order {code}'),
    ...RESTART_OPTIONS,
    jobs: defineCount('n', 'concurrent runs, each with its own PORT (default: 1)'),
    out: defineText(
      'directory',
      'where to write the results (default: a new directory in .sandbox/explore)',
      completeFiles,
    ),
    junit: defineText('file', 'also write the results as JUnit XML', completeFiles),
    strict: defineFlag('flaky findings count, too'),
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
    2: 'also when the tests fail without faults, always or sometimes',
    4: 'the budget was spent without a finding',
    126: 'the command cannot be run',
    127: 'the command was not found',
  },
  related: ['exec', 'check', 'faults'],
});

function pairsOf(given: string, name: string): number {
  const value = /^\d{1,6}$/.test(given) ? Number(given) : Number.NaN;
  if (value <= PAIRS_MAX) return value;
  throw createUsageError(`${name} takes a number from 0 to ${PAIRS_MAX}; got ${given}.`);
}

export const run = declareCommand({
  name: 'run',
  summary: 'run scenarios: steps with expectations, from files or built in',
  description:
    'Against the running sandbox, otherwise each in a fresh one. Names without a folder and ' +
    'an extension are built-in scenarios. An invalid file is refused before anything runs.',
  args: {
    files: acceptRest(async () => {
      const { listBuiltInNames } = await import('../commands/run/scenarios.js');
      const candidates = listBuiltInNames().map((value) => ({ value, description: 'built in' }));
      return { candidates, paths: 'files' };
    }),
  },
  options: {
    list: defineFlag('list the built-in scenarios'),
    fresh: defineFlag('each in its own sandbox, even if one is running'),
    forwardTo: defineText('target', 'forward what the receiver accepts to your application'),
    junit: defineText('file', 'also write the results as JUnit XML; - is stdout', completeFiles),
    bail: defineFlag('stop after the first failure'),
    record: defineText('file', 'write a scenario of what happened in the running sandbox', completeFiles),
    force: defineFlag('--record: overwrite a file that exists'),
  },
  examples: [
    '--list',
    'paid retries-to-dead-letter-and-recovery --fresh',
    'checks/*.json --junit report.xml',
  ],
  exits: { 1: 'a scenario failed', 3: 'with --record or --url: no sandbox is running' },
  related: ['exec', 'fixtures', 'reset'],
});

/** Throws a usage error for a command without these placeholders. */
export function checkPlaceholders(
  flag: '--probe' | '--order',
  text: string | undefined,
  placeholders: readonly Placeholder[],
): void {
  if (text === undefined) return;
  const example = `For example: ${flag} 'curl -s ${flag === '--order' ? '-X PUT ' : ''}localhost:3000/orders/{code}'`;
  if (!containsPlaceholder(text, placeholders))
    throw createUsageError(
      `${flag} has to say which order it means, with ${placeholders.join(' or ')}; got ${text}`,
      example,
    );
}
