import { spawn } from 'node:child_process';
import type { Environment } from '../../client/run-file.js';

/** Returns the URL of the web console. The token follows the `#`, so browsers never send it. */
export function formatConsoleUrl(url: string, token?: string): string {
  return token === undefined ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`;
}

/** Opens a page in the user's browser, on a best-effort basis; returns false if there is no browser. */
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
  if (platform === 'win32' || env.WSL_DISTRO_NAME) return 'explorer.exe';
  // Without a display, `xdg-open` would open a text browser in this terminal.
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}
