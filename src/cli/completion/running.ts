import { clearTimeout, setTimeout } from 'node:timers';
import type { ControlClient } from '../../client/control.js';
import type { Environment } from '../../client/run-file.js';
import { findSandbox } from '../sandbox/find-sandbox.js';

/** Real time that the sandbox has to answer; together with the start of this process, under half a second. */
const PATIENCE_MS = 350;

/** The surroundings of a completion. */
export interface Typist {
  readonly env: Environment;
  readonly cwd: string;
  /** The `--url` on the line. */
  readonly url: string | undefined;
}

/** Requests a list; the server may not be a sandbox. */
export type Ask<Row> = (client: ControlClient) => Promise<{ readonly data?: readonly Row[] }>;

/** Rows of a list of the running sandbox, newest first; empty if no sandbox runs or answers in time. */
export async function rowsOf<Row>(typist: Typist, ask: Ask<Row>): Promise<readonly Row[]> {
  let client: ControlClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    client = findSandbox({ io: typist, options: { url: typist.url } });
    const timeUp = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    const page = await Promise.race([ask(client), timeUp]);
    return page?.data ?? [];
  } catch {
    // A TAB must not print errors.
    return [];
  } finally {
    clearTimeout(timer);
    client?.close();
  }
}
