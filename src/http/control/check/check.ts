import { isoTime } from '../../../contract/time.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import type { KeptCheckView } from './schema.js';
import { GIVEN_REPORT } from './schema.js';

const NONE: KeptCheckView = { report: null, received_at: null };
/** Beside the world: a report says nothing about the sandbox, so no state holds it and no reset ends it. */
const KEPT = new WeakMap<Sandbox, KeptCheckView>();

/** The newest report of `check`, for the console. */
export const CHECK_ROUTES: readonly ControlRoute[] = [
  route('GET', 'check', {}, ({ sandbox }) => ok(KEPT.get(sandbox) ?? NONE)),
  route('PUT', 'check', { body: GIVEN_REPORT }, ({ sandbox, body: report }) => {
    const kept = { report, received_at: isoTime(sandbox.realNow()) };
    KEPT.set(sandbox, kept);
    sandbox.note({
      kind: 'command',
      id: null,
      title: `check of ${report.target}: ${report.headline}`,
      facts: { command: 'check' },
    });
    return ok(kept);
  }),
];
