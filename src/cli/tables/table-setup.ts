import { SETTINGS } from '../../config/settings.js';
import type { CommandSpec } from '../program/command-spec.js';
import { optionOf } from '../program/sandbox-options.js';

/** The commands about the machine, the settings and the terminal. */
export const SETUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'config',
    summary: 'every setting, and whether a flag, the environment or a file says so',
    options: [
      ...SETTINGS.map(optionOf),
      { flags: '--schema', description: 'print the JSON Schema of sandbox.config.json' },
    ],
    examples: ['', '--port 8000', '--schema > sandbox.config.schema.json'],
    load: async () => (await import('../commands/config/config.js')).config,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands, options and ids at a TAB',
    args: ['<shell>'],
    examples: [
      'bash > ~/.local/share/bash-completion/completions/sandbox',
      'zsh > "${fpath[1]}/_sandbox"',
      'fish > ~/.config/fish/completions/sandbox.fish',
    ],
    load: async () => (await import('../commands/completion/completion.js')).completion,
  },
  {
    name: 'doctor',
    summary: 'check this machine, the settings and a signed round trip',
    examples: ['', '--json'],
    load: async () => (await import('../commands/doctor/doctor.js')).doctor,
  },
];
