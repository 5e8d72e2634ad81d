import type { SandboxServer } from '../../../../http/server/start.js';
import type { Io } from '../../../program/io.js';
import { listenToKeys } from './keyboard.js';
import { openPage } from './open-page.js';
import { KEYS_HINT, StartKeys } from './start-keys.js';

/** Lets single keys control a running sandbox; returns a function that stops it. */
export function runKeys(server: SandboxServer, io: Io): () => void {
  const keys = new StartKeys(server, {
    io,
    quit: () => process.kill(process.pid, 'SIGINT'),
    open: (url) => openPage(url, io.env),
  });
  const end = listenToKeys((key) => void keys.press(key));
  io.say(io.colour.dim(KEYS_HINT));
  return end;
}
