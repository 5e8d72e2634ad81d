import { page } from '../../../core/page.js';
import { shortenSessionIdsOf } from '../../../core/identity/session.js';
import type { Table } from '../../../core/table.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { pageView } from '../../operation/pages.js';
import { agendaView } from '../clock/clock-view.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import { listKey } from '../lists.js';
import { sessionLine } from '../session-view.js';
import { snapshotView } from '../state.js';
import type { ServerFacts } from '../status-view.js';
import { statusView } from '../status-view.js';
import { timelineView } from '../timeline/timeline.js';
import { appView, chargeView, deliveryLine, faultView, withdrawalView } from '../views.js';
import { DELIVERY_KEY } from '../webhooks/deliveries.js';
import type { BootstrapView } from './schema.js';

const UNFILTERED = { status: undefined, app: undefined };

function bootstrapView(sandbox: Sandbox, facts: ServerFacts): BootstrapView {
  const { world, timeline } = sandbox;
  const firstPage = <Row extends { readonly ordinal: number }, View>(
    path: string,
    { rows }: Table<Row>,
    present: (row: Row) => View,
    key = listKey(path, UNFILTERED),
  ) => pageView(page(world, rows, key, {}), present);
  return {
    version: facts.version,
    run: timeline.run,
    seq: timeline.ring.newest,
    status: statusView(sandbox, facts),
    apps: world.apps.rows.map((app) => {
      const { token: _token, ...shown } = appView(world, app);
      return shown;
    }),
    faults: Array.from(world.faults.values(), faultView),
    snapshots: sandbox.snapshots.list().map(snapshotView),
    charges: firstPage('charges', world.charges, (charge) => chargeView(charge)),
    withdrawals: firstPage('withdrawals', world.withdrawals, withdrawalView),
    sessions: firstPage('kyc/sessions', world.sessions, (session) => sessionLine(sandbox, session)),
    deliveries: firstPage(
      'deliveries',
      world.deliveries,
      (delivery) => deliveryLine(sandbox, delivery),
      DELIVERY_KEY,
    ),
    agenda: agendaView(sandbox),
    timeline: timelineView(sandbox),
  };
}

/** What a page needs to start, read without a pause in between, so that all of it is of one instant. */
export function bootstrapRoute(facts: ServerFacts): ControlRoute {
  return route('GET', 'bootstrap', {}, ({ sandbox }) => {
    const text = JSON.stringify(bootstrapView(sandbox, facts));
    // Users may have put a secret into a code, a name or a description.
    return ok(JSON.parse(sandbox.secrets.hide(shortenSessionIdsOf(text))));
  });
}
