/** The commands that use a sandbox without an API request or a delivery. */
export const USING_COMMANDS = ['check', 'explore', 'run'] as const;

export type UsingCommand = (typeof USING_COMMANDS)[number];
