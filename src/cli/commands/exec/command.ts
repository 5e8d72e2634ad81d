import { files } from '../../completion/sources.js';
import { FAULTS, SANDBOX, SCENARIO } from '../start/sandbox-options.js';
import { declare } from '../../program/declaration.js';
import { choices, flag, rest } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { FAIL_ON, simulate } from '../../program/shared-options.js';

const { forwardTo, events, retries, port } = settings('forwardTo', 'events', 'retries', 'port');

export const exec = declare({
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
  args: { command: rest(files) },
  options: {
    forwardTo: { ...forwardTo, description: 'deliver webhooks to your application' },
    events: { ...events, description: '--forward-to: only these, such as pix.*' },
    retries: {
      ...retries,
      description: '--forward-to: real, fast or off (default: fast, with --faults real)',
    },
    simulate: simulate('--forward-to: what attempts 1, 2, … hit instead'),
    failOn: choices(
      'kinds',
      'exit 1 on what the sandbox saw: undelivered,unverified,ledger,unmatched',
      FAIL_ON,
      '--fail-on',
    ),
    allowUnused: flag('--fail-on: succeed also if nothing used the sandbox'),
    probeForged: flag('no longer needed: --fail-on unverified sends a forged copy by itself'),
    ...SCENARIO,
    ...FAULTS,
    port: { ...port, description: 'port of the sandbox (default: a free one)' },
    ...SANDBOX,
    quiet: flag('do not show the deliveries'),
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

export default exec.runs(async () => (await import('./exec.js')).execute);
