/** Files that commands read and write by themselves. */
export const FILES: readonly { readonly path: string; readonly holds: string }[] = [
  {
    path: 'sandbox.config.json',
    holds: 'settings of a project, beside its package.json; `sandbox config --schema` describes it',
  },
  {
    path: '~/.config/pix-sandbox/config.json',
    holds: 'settings of a user; below XDG_CONFIG_HOME where it is set, in ~/Library/Preferences on macOS',
  },
  {
    path: '~/.local/state/pix-sandbox/<project>.json',
    holds:
      'the run file of a running sandbox: where it answers, and the token of its control API; below XDG_STATE_HOME where it is set, in ~/Library/Application Support on macOS',
  },
  {
    path: '~/.local/state/pix-sandbox/<project>.log',
    holds: 'the output of a sandbox that was started with --detach',
  },
];
