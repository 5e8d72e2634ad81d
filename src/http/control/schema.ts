import type { advancedView, clockView, nextView } from './clock/clock-view.js';
import type {
  appView,
  callView,
  chargeView,
  deliveryLine,
  deliveryView,
  endpointView,
  eventLine,
  eventView,
  faultView,
  followed,
  pausingView,
  withdrawalView,
} from './views.js';
import type { LogEntry } from './calls/log-entry.js';
import type { sessionView } from './session-view.js';
import type { snapshotView } from './state.js';
import type { statusView } from './status-view.js';

/** The shapes of the control API's answers, for its client: they are what the presenters return. */
export type AdvancedView = ReturnType<typeof advancedView>;
export type AppView = ReturnType<typeof appView>;
export type { RegisterLine } from '../../contract/assumption-register.js';
export type CallDetail = CallView & ReturnType<typeof followed>;
export type CallView = ReturnType<typeof callView>;
export type ChargeView = ReturnType<typeof chargeView>;
export type ClockView = ReturnType<typeof clockView>;
export type DeliveryLine = ReturnType<typeof deliveryLine>;
export type DeliveryView = ReturnType<typeof deliveryView>;
export type EndpointView = ReturnType<typeof endpointView>;
export type EventLine = ReturnType<typeof eventLine>;
export type FaultView = ReturnType<typeof faultView>;
export type EventView = ReturnType<typeof eventView>;
export type { LogEntry } from './calls/log-entry.js';
export type AttemptEntry = Extract<LogEntry, { readonly type: 'attempt' }>;
export type PausingView = ReturnType<typeof pausingView>;
export type NextView = ReturnType<typeof nextView>;
export type SessionView = ReturnType<typeof sessionView>;
export type SnapshotLine = ReturnType<typeof snapshotView>;
export type StatusView = ReturnType<typeof statusView>;
export type WithdrawalView = ReturnType<typeof withdrawalView>;

export interface PageView<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}
