import type { CommandSpec } from '../program/command-spec.js';
import { SANDBOX_OPTIONS, SCENARIO } from '../program/sandbox-options.js';

/** The command that runs another one with a sandbox around it. */
export const EXEC_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'exec',
    summary: 'run a command with a sandbox of its own, and leave with its exit code',
    args: ['[command...]'],
    options: [
      { flags: '--forward-to <target>', description: 'deliver webhooks to your application', list: true },
      { flags: '--events <types>', description: '--forward-to: only these, such as pix.*' },
      { flags: '--retries <schedule>', description: '--forward-to: real, fast or off (default: real)' },
      { flags: '--simulate <steps>', description: '--forward-to: what attempts 1, 2, … meet instead' },
      {
        flags: '--fail-on <kinds>',
        description: 'exit 1 on what the sandbox saw: undelivered,unverified,ledger,unmatched',
      },
      SCENARIO,
      { flags: '--port <port>', description: 'port of the sandbox (default: a free one)' },
      ...SANDBOX_OPTIONS,
      { flags: '--quiet', description: 'do not show the deliveries' },
    ],
    examples: [
      '-- npm test',
      '--forward-to 3000 --fail-on undelivered,unmatched -- npm test',
      '--seed 7 --freeze 2026-01-31T12:00:00Z -- ./run-tests.sh --all',
    ],
    load: async () => (await import('../commands/exec/exec.js')).exec,
  },
];
