import { completeWords } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import {
  defineChoice,
  defineFlag,
  promptForArgument,
  withDefault,
  acceptRest,
  defineText,
} from '../program/options.js';
import { defineSettings, listUnreadSettings } from '../program/setting-options.js';
import { AGENT_FILES, CI_SERVICES, FRAMEWORKS, SHELLS, TEST_RUNNERS } from '../program/shared-options.js';

const { events, port } = defineSettings('events', 'port');
const FORMATS = ['text', 'markdown'] as const;

export const init = declareCommand({
  name: 'init',
  summary: 'set up a project: settings, .env.test, a receiver, a first test and a CI job',
  description:
    'Inspects package.json, the Python requirements, the sources and the names in .env.example and ' +
    '.env, and writes matching files: sandbox.config.json with the URL of your webhook route, your own ' +
    'variable names and, for recognized order routes, check.order and check.probe; .env.test with the ' +
    'published values for an application, a receiver ' +
    'if there is none, a first test that starts your application, and a GitHub Actions job. Never runs ' +
    'your code. On a terminal, prompts for missing options and shows the plan before writing; otherwise, ' +
    'requires --yes or --dry-run. Existing files are not changed, except that .env.test gets ' +
    'missing names, and AGENTS.md or CLAUDE.md a marked block. package.json is not changed.',
  options: {
    forwardTo: defineText(
      'target',
      'webhook URL of your application (default: detected, else localhost:3000/webhooks)',
    ),
    events,
    port: { ...port, description: 'port of the sandbox (default: SANDBOX_PORT, else 7490)' },
    seed: defineText('text', 'seed for ids and secrets (default: random)'),
    framework: defineChoice(
      'framework',
      `${FRAMEWORKS.slice(0, -1).join(', ')} or none (default: detected)`,
      FRAMEWORKS,
    ),
    test: defineChoice(
      'runner',
      `${TEST_RUNNERS.slice(0, -1).join(', ')} or none (default: detected)`,
      TEST_RUNNERS,
      'test runner',
    ),
    ci: defineChoice(
      'service',
      'github or none (default: github if there is a .github directory or a GitHub remote)',
      CI_SERVICES,
      'CI service',
    ),
    agents: defineChoice(
      'file',
      'AGENTS.md, CLAUDE.md or none: add a block for coding agents (default: the existing file)',
      AGENT_FILES,
      'agents file',
    ),
    start: defineText('command', 'command that starts your application (default: detected)'),
    probe: defineText('command', 'command or URL that prints your order {code}, for the CI check'),
    order: defineText('command', 'command that creates the order {code}, for the CI check'),
    dryRun: defineFlag('print the files without writing them'),
    yes: defineFlag('accept the defaults without prompting'),
  },
  examples: ['--yes', '--dry-run', '--forward-to 8080 --framework express --test node --yes'],
  exits: {},
  related: ['start', 'listen', 'config', 'env'],
});

export const config = declareCommand({
  name: 'config',
  summary: 'show every setting with its value and source',
  description:
    'Flags override the environment, which overrides sandbox.config.json. Pass the ' +
    'flags of `start`, `listen` or `exec` to see their effective settings. Secrets are ' +
    'shortened.',
  options: {
    ...listUnreadSettings(),
    schema: defineFlag('print the JSON Schema of sandbox.config.json'),
  },
  examples: ['', '--port 8000', '--schema > sandbox.config.schema.json'],
  exits: {},
  related: ['start', 'listen', 'exec', 'doctor'],
});

export const doctor = declareCommand({
  name: 'doctor',
  summary: 'check this machine, the settings, the environment, recent traffic and a round trip',
  description:
    'Reports each problem with a fix. With a running sandbox, also reports failed deliveries, refused requests, ' +
    'disabled endpoints, and variables in the environment and in .env files that do not match the sandbox. ' +
    'Briefly starts its own sandbox on a free port.',
  exits: { 1: 'a problem prevents a sandbox from working' },
  related: ['config', 'status'],
});

export const completion = declareCommand({
  name: 'completion',
  summary: 'print a completion script for commands, options and ids',
  description:
    'Save the script where your shell looks for completions, and open a new shell. If your shell’s startup ' +
    'file loads the script, `npx sandbox` is also completed, using the project’s sandbox.',
  args: {
    shell: promptForArgument(
      `Specify a shell: one of ${SHELLS.join(', ')}.`,
      'For example: npx sandbox completion bash',
      completeWords(SHELLS),
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

export const help = declareCommand({
  name: 'help',
  summary: 'show help for a command, a group or everything: options, exit codes, examples',
  args: { command: acceptRest() },
  options: {
    all: defineFlag('list every command; with --format or --json, print each command’s page'),
    format: withDefault(defineChoice('format', 'text or markdown (default: text)', FORMATS), 'text'),
  },
  examples: ['trigger', 'clock advance', '--all --format markdown'],
  exits: {},
  related: ['completion', 'doctor'],
});
