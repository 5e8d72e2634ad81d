import { spawn } from 'node:child_process';

/** Waits for the end of its input, which comes when the process on the other side ends for any reason. */
const SCRIPT = 'read -r _ || { kill -s TERM -- "-$0"; sleep 1; kill -s KILL -- "-$0"; }';

/**
 * Ends a process group when this process is killed without a chance to do so, such as by `kill -9`. Returns a function that
 * cancels it. Does nothing without `sh`.
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
