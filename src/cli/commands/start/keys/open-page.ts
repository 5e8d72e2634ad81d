import { spawn } from 'node:child_process';
import type { Environment } from '../../../../client/run-file.js';

/** Tries to open a page in the user's browser; false if there is none. Nothing depends on it. */
export function openPage(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const program = openerOf(env, platform);
  if (program === undefined) return false;
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

function openerOf(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer.exe';
  // Without a display it would open a text browser in this terminal.
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}
