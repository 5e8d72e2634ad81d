import type { CommandSpec } from '../program/command-spec.js';
import { APP } from '../program/command-spec.js';
import { SANDBOX_OPTIONS, SCENARIO, settingOptions } from '../program/sandbox-options.js';
import { LISTEN_TUNNEL_OPTIONS, START_TUNNEL_OPTIONS } from './table-tunnel.js';

/** The commands that run a sandbox and make things happen in it. */
export const MAIN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'start',
    summary: 'start a sandbox: the whole TEST environment, in memory',
    options: [
      ...settingOptions('port', 'host', 'allowHost'),
      ...SANDBOX_OPTIONS,
      ...settingOptions('data'),
      { flags: '--record <file>', description: 'write every change into a new file, to be lived again' },
      ...START_TUNNEL_OPTIONS,
      SCENARIO,
      { flags: '--quiet', description: 'do not show the calls' },
      {
        flags: '--detach',
        description: 'run in the background, and leave when it is ready',
      },
    ],
    examples: ['', '--port 0 --seed 7 --freeze 2026-01-31T12:00:00Z', '--detach'],
    load: async () => (await import('../commands/start/detachable-start.js')).start,
  },
  {
    name: 'stop',
    summary: 'stop the sandbox of this project',
    examples: ['', '--json'],
    load: async () => (await import('../commands/stop/stop.js')).stop,
  },
  {
    name: 'listen',
    summary: 'receive signed deliveries and forward them to your application',
    options: [
      {
        flags: '--forward-to <target>',
        description: "where to: 3000, /hook, host:port/path, a URL, or for some events 'pix.*=3000/pix'",
        list: true,
      },
      ...settingOptions('events', 'retries', 'header', 'concurrency'),
      { flags: '--name <name>', description: 'name of the listener (default: listener)' },
      { flags: '--timeout <duration>', description: 'time limit of an attempt (default: 10s)' },
      {
        flags: '--simulate <steps>',
        description:
          'what attempts 1, 2, … meet instead of your application: 500,timeout,reset,slow:3s,lost,ok',
      },
      { flags: '--duplicate <probability>', description: 'send some twice' },
      { flags: '--shuffle <probability>', description: 'let some be overtaken' },
      { flags: '--delay <duration>', description: 'send later, such as 2s, or some, such as 0.5:2s' },
      { flags: '--print-secret', description: 'print the secret that deliveries are signed with' },
      { flags: '--skip-verify', description: 'forward without verifying the signature first' },
      ...LISTEN_TUNNEL_OPTIONS,
      APP,
    ],
    examples: [
      '--forward-to localhost:3000/webhooks',
      '--forward-to 3000 --events pix.settled --retries fast',
      "--forward-to 'pix.*=/pix' --forward-to 'withdrawal.*=/out'",
      '--forward-to 3000 --simulate 500,timeout,ok',
      '--forward-to 3000 --tunnel --secret-file webhook.secret',
    ],
    load: async () => (await import('../commands/listen/listen.js')).listen,
  },
];
