import type { ControlClient } from '../../client/control.js';
import { NotReachableError, SandboxError } from '../../client/control.js';
import type { CheckReportView } from '../../http/control/check/schema.js';

/** Leaves a report with a sandbox, whose console then shows it; false where that cannot take it. */
export async function keepReport(control: ControlClient, report: CheckReportView): Promise<boolean> {
  try {
    await control.put('check', { body: report });
    return true;
  } catch (error) {
    if (error instanceof SandboxError || error instanceof NotReachableError) return false;
    throw error;
  }
}
