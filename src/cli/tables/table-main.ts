import type { CommandSpec } from '../program/command-spec.js';
import { APP, NEW_CHARGE, NEW_WITHDRAWAL, REASON } from '../program/command-spec.js';
import { SANDBOX_OPTIONS, SCENARIO, settingOptions } from '../program/sandbox-options.js';
import { LISTEN_TUNNEL_OPTIONS, START_TUNNEL_OPTIONS } from './table-tunnel.js';

const clock = () => import('../commands/clock/clock.js');
const inspect = () => import('../commands/status/inspect.js');

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
  {
    name: 'trigger',
    summary: 'make an event happen, and see what becomes of it',
    args: ['[event]'],
    options: [
      { flags: '--charge <id>', description: 'move this charge (id or code) instead of a new one' },
      { flags: '--withdrawal <id>', description: 'move this withdrawal (id or code)' },
      ...NEW_CHARGE,
      ...NEW_WITHDRAWAL,
      REASON,
      { flags: '--late', description: 'pix.settled: the charge expires first' },
      { flags: '--override <path=value>', description: 'let the payload say something else', list: true },
      { flags: '--count <n>', description: 'how many times' },
      { flags: '--rate <n>', description: 'so many in a second of real time (default: at once)' },
      { flags: '--wait', description: 'until every delivery has ended; exit 1 when one failed' },
      { flags: '--timeout <duration>', description: 'how long to wait, in real time (default: 30s)' },
      APP,
    ],
    examples: [
      'pix.settled',
      'withdrawal.failed --amount 25.00 --reason AC03',
      'pix.settled --override data.object.amount=1.00 --wait',
    ],
    load: async () => (await import('../commands/trigger/trigger.js')).trigger,
  },
  {
    name: 'env',
    summary: 'print what your application needs to use the sandbox',
    options: [{ flags: '--format <format>', description: 'dotenv, json, shell or github (default: dotenv)' }],
    examples: ['> .env.test', '--format shell'],
    load: async () => (await inspect()).env,
  },
  {
    name: 'status',
    summary: 'what the sandbox holds, what time it is there, and what is due next',
    examples: ['', '--json'],
    load: async () => (await inspect()).status,
  },
  {
    name: 'clock show',
    summary: 'the instant, the rate, and what is due next',
    examples: ['', '--json'],
    load: async () => (await clock()).show,
  },
  {
    name: 'clock advance',
    summary: 'move forward, doing all that falls due on the way',
    args: ['<duration>'],
    examples: ['45h', '1d12h'],
    load: async () => (await clock()).advance,
  },
  {
    name: 'clock next',
    summary: 'jump to the next thing due, and say what it was',
    examples: ['', '--json'],
    load: async () => (await clock()).next,
  },
  {
    name: 'clock freeze',
    summary: 'let time stand still, now or at a later instant',
    args: ['[instant]'],
    examples: ['', '2030-01-01T00:00:00Z'],
    load: async () => (await clock()).freeze,
  },
  {
    name: 'clock speed',
    summary: 'let time pass faster: sandbox seconds in a real one',
    args: ['<rate>'],
    examples: ['60', '1'],
    load: async () => (await clock()).speed,
  },
  {
    name: 'clock reset',
    summary: 'real speed again; the offset stays',
    examples: ['', '--json'],
    load: async () => (await clock()).reset,
  },
  {
    name: 'assumptions',
    summary: 'what the contract leaves open, what is assumed here, and what else may be chosen',
    examples: ['', '--json'],
    load: async () => (await inspect()).assumptions,
  },
];
