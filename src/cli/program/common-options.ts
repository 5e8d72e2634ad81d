/** Options of every command, as commander and the help show them. */
export const COMMON_OPTIONS = [
  { flags: '--json', description: 'print JSON on stdout and nothing else' },
  { flags: '--url <url>', description: 'the sandbox to talk to (default: the one of this project)' },
  { flags: '--no-color', description: 'print without colours' },
  { flags: '--no-input', description: 'never ask' },
] as const;
