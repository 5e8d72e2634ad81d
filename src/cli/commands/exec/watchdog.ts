import { spawn } from 'node:child_process';

/** Waits for the end of its input, which comes when whoever holds the other side is gone, however it went. */
const SCRIPT = 'read -r _ || { kill -s TERM -- "-$0"; sleep 1; kill -s KILL -- "-$0"; }';

/**
 * Has a process group ended when this process dies without a chance to do it, as by `kill -9`. Returns what calls that off.
 * Where there is no `sh`, nothing watches.
 */
export function watchOver(groupId: number): () => void {
  const watchdog = spawn('sh', ['-c', SCRIPT, String(groupId)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.once('error', () => undefined);
  return () => watchdog.kill('SIGKILL');
}
