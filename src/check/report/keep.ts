import type { ControlClient } from '../../client/control.js';
import { NotReachableError, SandboxError } from '../../client/control.js';
import type { CheckReportView } from '../../http/control/check.js';

/** The longest that a sandbox may take, which has nothing to wait for. */
const MOST_MS = 2_000;

/** Leaves a report with a sandbox, whose console then shows it; false where that cannot take it. */
export async function keepReport(control: ControlClient, report: CheckReportView): Promise<boolean> {
  const signal = AbortSignal.timeout(MOST_MS);
  try {
    await control.put('check', { body: report, signal });
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof SandboxError || error instanceof NotReachableError) return false;
    throw error;
  }
}
