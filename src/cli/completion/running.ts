import { clearTimeout, setTimeout } from 'node:timers';
import type { ControlClient } from '../../client/control.js';
import type { Environment } from '../../client/run-file.js';
import { findSandbox } from '../sandbox/find-sandbox.js';

/** Real time that the sandbox gets to answer: with the start of this process, less than half a second. */
const PATIENCE_MS = 350;

/** Who is typing, and where. */
export interface Typist {
  readonly env: Environment;
  readonly cwd: string;
  /** The `--url` on the line. */
  readonly url: string | undefined;
}

/** Asks for a list; what answers may be no sandbox. */
export type Ask<Row> = (client: ControlClient) => Promise<{ readonly data?: readonly Row[] }>;

/** Rows of a list of the running sandbox, newest first; none where no sandbox runs, or where it does not answer in time. */
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
    // Whoever presses TAB wants no errors.
    return [];
  } finally {
    clearTimeout(timer);
    client?.close();
  }
}
