import { words } from '../completion/sources.js';
import { declare } from '../program/declaration.js';
import { choice, flag, needed, otherwise, rest, text } from '../program/options.js';
import { settings, unreadSettings } from '../program/setting-options.js';
import { CI_SERVICES, FRAMEWORKS, SHELLS, TEST_RUNNERS } from '../program/shared-options.js';

const { events } = settings('events');
const FORMATS = ['text', 'markdown'] as const;

export const init = declare({
  name: 'init',
  summary: 'set up a project: settings, .env.test, a receiver, a first test and a CI job',
  description:
    'Looks at package.json, the Python requirements and the folder, and writes what fits: ' +
    'sandbox.config.json, .env.test with the published values for an application, a receiver ' +
    'if there is none, a first test, and a job for GitHub Actions if the project is there. ' +
    'On a terminal it asks for what is not given, and shows what it would write before it ' +
    'does; otherwise it needs --yes or --dry-run. Existing content is kept: whole files, and ' +
    'in .env.test every existing name. Nothing is added to package.json.',
  options: {
    forwardTo: text('target', 'where your application receives webhooks (default: localhost:3000/webhooks)'),
    events,
    seed: text('text', 'derive ids and secrets from it (default: new ones each time)'),
    framework: choice(
      'framework',
      `${FRAMEWORKS.slice(0, -1).join(', ')} or none (default: what the project has)`,
      FRAMEWORKS,
    ),
    test: choice(
      'runner',
      `${TEST_RUNNERS.slice(0, -1).join(', ')} or none (default: what the project has)`,
      TEST_RUNNERS,
      'test runner',
    ),
    ci: choice(
      'service',
      'github or none (default: github where there is a .github folder or a remote there)',
      CI_SERVICES,
      'CI service',
    ),
    start: text('command', 'what starts your application, for the CI job (default: what the project has)'),
    probe: text('command', 'a command or URL that prints your order {code}, for the check of the CI job'),
    order: text('command', 'a command that creates the order {code}, for the check of the CI job'),
    dryRun: flag('write nothing: print the files that would be written'),
    yes: flag('ask nothing: take the defaults'),
  },
  examples: ['--yes', '--dry-run', '--forward-to 8080 --framework express --test node --yes'],
  exits: {},
  related: ['start', 'listen', 'config', 'env'],
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
