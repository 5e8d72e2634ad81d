import type { CommandSpec } from './command-spec.js';
import { START_KYC_OPTIONS } from './table-kyc.js';

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
      { flags: '--scenario <file>', description: 'run this file, or a built-in one, first', list: true },
      { flags: '--port <port>', description: 'port of the sandbox (default: a free one)' },
      { flags: '--seed <text>', description: 'ids, secrets and chance follow from it' },
      { flags: '--freeze <instant>', description: 'begin at this instant and stand still' },
      { flags: '--assume <id=value>', description: 'choose for what the contract leaves open', list: true },
      {
        flags: '--route <from=to>',
        description: 'deliver https://shop.example=http://localhost:3000',
        list: true,
      },
      { flags: '--allow-local-endpoints', description: 'let endpoints be http and local' },
      { flags: '--auto-settle <duration>', description: 'charges are paid by themselves after this time' },
      ...START_KYC_OPTIONS,
      { flags: '--strict', description: 'answer as the service does, and explain no signature' },
      { flags: '--quiet', description: 'do not show the deliveries' },
    ],
    examples: [
      '-- npm test',
      '--forward-to 3000 --fail-on undelivered,unmatched -- npm test',
      '--seed 7 --freeze 2026-01-31T12:00:00Z -- ./run-tests.sh --all',
    ],
    load: async () => (await import('./commands/exec.js')).exec,
  },
];
