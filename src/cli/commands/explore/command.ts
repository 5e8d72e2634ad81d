import { files } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { choice, count, duration, flag, rest, text, valued } from '../../program/options.js';
import { usageError } from '../../program/errors.js';
import { settings } from '../../program/setting-options.js';
import { RESTART, SANDBOX, SCENARIO } from '../start/sandbox-options.js';

const { forwardTo, events } = settings('forwardTo', 'events');
// Here --strict is about what was found.
const { strict: _strict, seed, ...OF_SANDBOX } = SANDBOX;

const FAULT_CHOICES = ['promised', 'all'] as const;
const PAIRS_MAX = 10_000;

export const explore = declare({
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
  args: { command: rest(files) },
  options: {
    budget: duration('duration', 'time for all runs (default: 5m)'),
    faults: choice(
      'class',
      'promised: what the contract allows; all: also outages (default: promised)',
      FAULT_CHOICES,
      '--faults',
    ),
    only: text('path', 'only the faults of this file or directory, together', files),
    pairs: valued(
      {
        placeholder: 'n',
        description: 'pairs of faults to try after single ones (default: as many as the budget allows)',
      },
      pairsOf,
    ),
    seed: { ...seed, description: 'the plan, ids and chances derive from it (default: 1)' },
    probe: text('command', 'a command or URL that prints what you hold for order {code}'),
    ...RESTART,
    jobs: count('n', 'runs at a time, each with a PORT of its own (default: 1)'),
    out: text(
      'directory',
      'where to write the results (default: a new directory in .sandbox/explore)',
      files,
    ),
    junit: text('file', 'also write the results as JUnit XML', files),
    strict: flag('flaky findings count, too'),
    forwardTo: { ...forwardTo, description: 'deliver webhooks to your application' },
    events: { ...events, description: '--forward-to: only these, such as pix.*' },
    ...SCENARIO,
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
  throw usageError(`${name} takes a number from 0 to ${PAIRS_MAX}; got ${given}.`);
}

export default explore.runs(async () => (await import('./explore.js')).exploreCommand);
