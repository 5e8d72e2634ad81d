import type { CommandSpec } from '../program/command-spec.js';
import { APP } from '../program/command-spec.js';

/** The command that shows what the sandbox saw. */
export const LOG_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'logs',
    summary: 'what the sandbox saw, oldest first, in real time (UTC): calls and delivery attempts',
    options: [
      {
        flags: '--follow',
        description: 'go on with what comes, until Ctrl-C; exit 3 when the sandbox leaves',
      },
      { flags: '--limit <n>', description: 'begin with so many of the newest, 0 to 2000 (default: 50)' },
      { flags: '--source <source>', description: 'calls, deliveries or all (default: all)' },
      { flags: '--status <statuses>', description: 'only answered with these, such as 401 or 4xx,5xx' },
      { flags: '--failed', description: 'only what went wrong: 4xx, 5xx, and attempts that failed' },
      { flags: '--method <method>', description: 'only calls with this method' },
      { flags: '--path <glob>', description: "only calls of this path, such as '/api/public/v1/*'" },
      { flags: '--door <door>', description: 'only calls to api, identity or hosted (the pages)' },
      { flags: '--unmatched', description: 'only calls that met no route' },
      { flags: '--events <types>', description: 'only deliveries of these, such as pix.*' },
      { flags: '--endpoint <endpoint>', description: 'only deliveries to it, by id, URL or description' },
      { flags: '--since <duration>', description: 'only what ended within the last 5m, in real time' },
      APP,
    ],
    examples: [
      '',
      '--follow --failed',
      "--status 4xx --path '/api/public/v1/*'",
      '--source deliveries --json',
    ],
    load: async () => (await import('../commands/logs/logs.js')).logs,
  },
];
