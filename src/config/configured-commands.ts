/** The commands whose options may also come from the environment and from files. */
export const CONFIGURED_COMMANDS = ['start', 'exec', 'explore', 'check', 'listen'] as const;
export type ConfiguredCommand = (typeof CONFIGURED_COMMANDS)[number];

export function isConfigured(command: string): command is ConfiguredCommand {
  return CONFIGURED_COMMANDS.some((name) => name === command);
}
