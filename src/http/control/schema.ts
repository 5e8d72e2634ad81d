import * as is from '../../core/resources/values.js';
import { nullable } from '../../schema/object.js';
import { number, text } from '../../schema/values.js';

export type { RegisterLine } from '../../contract/assumption-register.js';
export type { AccountView, AppView, AppWithSecrets, EndpointView } from './apps.js';
export type { AttemptEntry, CallDetail, CallView, LogEntry } from './calls.js';
export type { AdvancedView, AgendaView, ClockView, NextView } from './clock.js';
export type { AttemptView, DeliveryLine, DeliveryView, EventLine, EventView } from './events.js';
export type { FaultView } from './faults.js';
export type { SessionView } from './identity.js';
export type { ChargeDetail, ChargeView, LedgerEntryView, WithdrawalView } from './payments.js';
export type { ReceiverView } from './listeners.js';
export type { ScenarioRun } from './scenarios.js';
export type { ComparedView, SnapshotView } from './state.js';
export type { CheckReportView, CheckResultView, KeptCheckView, StatusView } from './system.js';
export type { EntryView, TimelineBreakView, TraceNodeView, TraceView } from './timeline.js';

export const LATENCY = number('milliseconds', { least: 0 });
export const OPTIONAL_TEXT = nullable(is.TEXT);
export const BALANCE = text('a balance', /^-?(?:0|[1-9]\d*)\.\d{2}$/, { examples: ['10.00'] });

export interface PageView<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}
