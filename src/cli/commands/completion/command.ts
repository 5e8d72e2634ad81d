import { words } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { required } from '../../program/options.js';
import { SHELLS } from '../../program/shared-options.js';

export const completion = declare({
  name: 'completion',
  summary: 'print a script that completes commands, options and ids on TAB',
  description:
    'Save it where your shell looks for completions, and open a new shell. In the start-up file of the shell it completes `npx sandbox`, too, with the sandbox of the project.',
  args: { shell: required(words(SHELLS)) },
  examples: [
    'bash > sandbox.bash',
    'zsh > "${fpath[1]}/_sandbox"',
    'fish > ~/.config/fish/completions/sandbox.fish',
    'powershell > sandbox.ps1',
  ],
  exits: {},
  related: ['help', 'doctor'],
});

export default {
  commands: [completion.runs(async () => (await import('./completion.js')).printScript)],
};
