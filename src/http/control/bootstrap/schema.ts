import * as is from '../../../core/resources/values.js';
import type { Infer } from '../../../schema/schema.js';
import { described } from '../../../schema/values.js';
import { AGENDA } from '../clock/schema.js';
import { FAULT } from '../fault-schema.js';
import { APP, CHARGE_VIEW, DELIVERY_LINE, SESSION_LINE, WITHDRAWAL_VIEW } from '../schema.js';
import { SNAPSHOT, STATUS } from '../state-schema.js';
import { TIMELINE } from '../timeline/schema.js';

const { token: _token, ...APP_FIELDS } = APP.fields;

export const BOOTSTRAP = is.resource('Bootstrap', 'What a page needs to start, taken in one instant.', {
  version: is.TEXT,
  run: described('Names this process; numbers of the timeline belong to it.', is.TEXT),
  seq: described('The number of the timeline at which to go on.', is.COUNT),
  status: described('With the clock, the accounts, and all endpoints and listeners.', STATUS),
  apps: is.listOf(is.shape('An application, without its token.', APP_FIELDS)),
  faults: is.listOf(FAULT),
  snapshots: is.listOf(SNAPSHOT),
  charges: is.pageOf(CHARGE_VIEW),
  withdrawals: is.pageOf(WITHDRAWAL_VIEW),
  sessions: is.shape('The first page of sessions.', { data: is.listOf(SESSION_LINE), paging: is.PAGING }),
  deliveries: is.pageOf(DELIVERY_LINE),
  agenda: AGENDA,
  timeline: TIMELINE,
});
export type BootstrapView = Infer<typeof BOOTSTRAP>;
