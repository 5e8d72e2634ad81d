import { words } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { choice, flag, needed, otherwise, rest } from '../../program/options.js';
import { unreadSettings } from '../../program/setting-options.js';
import { SHELLS } from '../../program/shared-options.js';

export const ENV_FORMATS = ['dotenv', 'json', 'shell', 'github'] as const;
const FORMATS = ['text', 'markdown'] as const;

export const env = declare({
  name: 'env',
  summary: 'print the environment variables that your application needs',
  description: 'No other command shows these values in full. On loopback they are the same on every start.',
  options: {
    format: otherwise(
      choice('format', 'dotenv, json, shell or github (default: dotenv)', ENV_FORMATS),
      'dotenv',
    ),
  },
  examples: ['> .env.test', '--format shell'],
  related: ['start', 'exec'],
});

export const config = declare({
  name: 'config',
  summary: 'every setting, with its value and where it comes from',
  description:
    'Flags win over the environment, and the environment over sandbox.config.json. Give the ' +
    'flags of `start`, `listen` or `exec` to see what they would run with. Secrets are shown ' +
    'shortened.',
  options: { ...unreadSettings(), schema: flag('print the JSON Schema of sandbox.config.json') },
  examples: ['', '--port 8000', '--schema > sandbox.config.schema.json'],
  exits: {},
  related: ['start', 'listen', 'exec', 'doctor'],
});

export const doctor = declare({
  name: 'doctor',
  summary: 'check this machine, the settings and a signed round trip',
  description: 'Reports each problem with a remedy. Briefly starts its own sandbox on a free port.',
  exits: { 1: 'a problem keeps a sandbox from working' },
  related: ['config', 'status'],
});

export const completion = declare({
  name: 'completion',
  summary: 'print a script that completes commands, options and ids on TAB',
  description:
    'Save it where your shell looks for completions, and open a new shell. In the start-up ' +
    'file of the shell it completes `npx sandbox`, too, with the sandbox of the project.',
  args: {
    shell: needed(
      `Which shell? One of ${SHELLS.join(', ')}.`,
      'For example: npx sandbox completion bash',
      words(SHELLS),
    ),
  },
  examples: [
    'bash > sandbox.bash',
    'zsh > "${fpath[1]}/_sandbox"',
    'fish > ~/.config/fish/completions/sandbox.fish',
    'powershell > sandbox.ps1',
  ],
  exits: {},
  related: ['help', 'doctor'],
});

export const help = declare({
  name: 'help',
  summary: 'help for a command, a group or everything: options, exit codes, examples',
  args: { command: rest() },
  options: {
    all: flag('every command in a line of its own; with --format or --json, the page of each'),
    format: otherwise(choice('format', 'text or markdown (default: text)', FORMATS), 'text'),
  },
  examples: ['trigger', 'clock advance', '--all --format markdown'],
  exits: {},
  related: ['completion', 'doctor'],
});

export const folders = {
  env: env.shows(
    (client) => client.get('env'),
    async (_, block, __, { options }) => (await import('./env.js')).formatEnv(block, options.format),
  ),
  config: config.runs(async () => (await import('./config.js')).showConfig),
  doctor: doctor.runs(async () => (await import('./doctor.js')).examine),
  completion: completion.runs(async () => (await import('./completion.js')).printScript),
  help: help.runs(async () => (await import('./help.js')).showHelp),
};
