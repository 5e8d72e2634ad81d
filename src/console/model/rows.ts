import { EVENT_TYPES } from '../../contract/enums.js';
import { type DeliveryFaultAction, findForgery } from '../../contract/fault-kinds.js';
import { isFailed, STATUS_TONES } from '../../contract/transitions.js';
import type { AttemptView } from '../../http/control/exchanges.js';
import type { EntryView } from '../../http/control/timeline.js';
import { type EntryPredicate, readFilterTerms } from '../../sandbox/timeline/filter.js';
import { formatOutcome } from '../../text/exchange/present-exchange.js';
import { matchesGlob } from '../../text/globs.js';
import type { RetryActionFilter } from './actions.js';
import type { DetailKind } from './routes.js';
import type { HistoryStep, Histories } from './histories.js';

/** Parsed filter: the source text and a predicate evaluated at a sandbox time. */
export interface Filter {
  readonly text: string;
  /** Sandbox time in milliseconds; 0 for a time-independent filter. */
  readonly now: number;
  readonly test: (entry: EntryView) => boolean;
  /** Reports whether an excluding term hides an entry. */
  readonly hides: (entry: EntryView) => boolean;
  /** The parse error. An invalid filter shows everything. */
  readonly problem: string | undefined;
}

export function createFilter(text: string, now: number): Filter {
  try {
    const { matches, excludes } = readFilterTerms(text);
    const applied = (test: EntryPredicate) => (entry: EntryView) =>
      test({ ...entry, at: Date.parse(entry.at), realAt: null, facts: entry }, now);
    return { text, now, test: applied(matches), hides: applied(excludes), problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { text, now, test: () => true, hides: () => false, problem };
  }
}

/** A row of the live list, reused until its history changes. */
export interface LiveRow {
  readonly step: HistoryStep;
  readonly isRoot: boolean;
  /** Undefined if the row has no child rows. */
  readonly isOpen: boolean | undefined;
  /** The payment's code; for a root row, the first code in its history. */
  readonly code: string | undefined;
}

export interface RowOptions extends Pick<Filter, 'test' | 'hides'> {
  /** Sequence number of the newest entry to show. */
  readonly upTo: number;
  /** Collapsed root rows, by entry number. */
  readonly closed: ReadonlySet<number>;
}

/**
 * Creates the rows of the live list. Reuses rows of unchanged histories, because thousands of entries can
 * arrive.
 */
export class LiveRows {
  readonly #known = new WeakMap<
    HistoryStep,
    { readonly key: readonly unknown[]; readonly rows: readonly LiveRow[] }
  >();

  all(histories: Histories, options: RowOptions): LiveRow[] {
    const roots = histories.roots.filter(({ entry }) => entry.seq <= options.upTo);
    return roots.toReversed().flatMap((root) => this.#of(histories, root, options));
  }

  countSince(histories: Histories, options: RowOptions): number {
    const newer = histories.roots.filter(({ entry }) => entry.seq > options.upTo);
    return newer.filter((root) => this.#of(histories, root, { ...options, upTo: Infinity }).length > 0)
      .length;
  }

  #of(histories: Histories, root: HistoryStep, options: RowOptions): readonly LiveRow[] {
    const { test, upTo, closed } = options;
    const key = [root.version, test, upTo, closed.has(root.entry.seq)];
    const known = this.#known.get(root);
    if (known?.key.every((one, index) => one === key[index]) === true) return known.rows;
    const rows = rowsOf(histories, root, options);
    this.#known.set(root, { key, rows });
    return rows;
  }
}

/** Returns a tree's rows: none if no entry matches or all child rows are hidden. */
function rowsOf(
  histories: Histories,
  root: HistoryStep,
  { test, hides, upTo, closed }: RowOptions,
): LiveRow[] {
  const steps = [...histories.following(root)];
  const visible = visibleSteps(histories, steps, hides);
  if (!visible.some(({ entry }) => entry.seq <= upTo && test(entry))) return [];
  const lines = (from: readonly HistoryStep[]) =>
    from.filter((step) => step !== root && step.entry.seq <= upTo && isLine(histories, step));
  const beneath = lines(visible);
  if (!visible.includes(root) || (beneath.length === 0 && lines(steps).length > 0)) return [];
  const isOpen = beneath.length === 0 ? undefined : !closed.has(root.entry.seq);
  const code = visible.find(({ entry }) => entry.code !== undefined)?.entry.code;
  const others = beneath.map((step) => ({ step, isRoot: false, isOpen: undefined, code: step.entry.code }));
  return [{ step: root, isRoot: true, isOpen, code }, ...(isOpen === true ? others : [])];
}

/**
 * Removes steps that a term hides, directly or through their cause. A hidden attempt also hides its
 * delivery's row.
 */
function visibleSteps(
  histories: Histories,
  steps: readonly HistoryStep[],
  hides: RowOptions['hides'],
): readonly HistoryStep[] {
  const hidden = new Set<HistoryStep | undefined>();
  for (const step of steps) {
    const parent = histories.parentOf(step);
    if (hidden.has(parent)) hidden.add(step);
    else if (hides(step.entry)) {
      hidden.add(step);
      if (step.entry.kind === 'attempt') hidden.add(parent);
    }
  }
  return steps.filter((step) => !hidden.has(step));
}

/**
 * Returns true for a step with its own row. Attempts, and events with deliveries, are part of the deliveries'
 * rows.
 */
function isLine(histories: Histories, step: HistoryStep): boolean {
  const { kind, from } = step.entry;
  const parent = histories.parentOf(step);
  if (kind === 'attempt') return false;
  if (kind === 'delivery') return from === null || parent?.entry.kind !== 'attempt';
  if (kind === 'event') return !histories.childrenOf(step).some(({ entry }) => entry.kind === 'delivery');
  return kind !== 'command' || parent === undefined;
}

export type Tone = 'good' | 'bad' | 'waiting' | 'plain';

export interface StatusLabel {
  readonly text: string;
  readonly tone: Tone;
}

export function listAttempts(histories: Histories, delivery: HistoryStep): EntryView[] {
  return histories.historyFrom(delivery).filter(({ kind }) => kind === 'attempt');
}

export function listStates(histories: Histories, delivery: HistoryStep): string[] {
  const changes = histories.historyFrom(delivery).filter(({ kind }) => kind === 'delivery');
  return changes.map(({ to }) => to ?? '');
}

export function labelState(text: string): StatusLabel {
  return { text, tone: STATUS_TONES[text] ?? 'plain' };
}

export function labelTraceEntry(kind: EntryView['kind'], text: string): StatusLabel {
  if (text === '' || (kind !== 'call' && kind !== 'attempt')) return labelState(text);
  return { text, tone: /^2\d\d$/.test(text) ? 'good' : 'bad' };
}

export function labelExchange({ status, error }: Pick<EntryView, 'status' | 'error'>): StatusLabel {
  const text = formatOutcome({ status, error });
  return { text, tone: /^2\d\d$/.test(text) ? 'good' : text === '' ? 'plain' : 'bad' };
}

export function labelStep(histories: Histories, step: HistoryStep): StatusLabel {
  const { entry } = step;
  if (entry.kind === 'call' || entry.kind === 'attempt') return labelExchange(entry);
  if (entry.kind === 'delivery') return labelState(listStates(histories, step).at(-1) ?? '');
  return labelState(entry.kind === 'change' ? (entry.to ?? '') : '');
}

/** Returns a row's page: the entry's own page, or the trace of its first consequence with a page. */
export function getLinePage(histories: Histories, step: HistoryStep): string | undefined {
  const own = getEntryPage(step.entry);
  if (own !== undefined) return own;
  const pages = Array.from(histories.following(step), ({ entry }) => getEntryPage(entry));
  const page = pages.find((one) => one !== undefined);
  return page === undefined ? undefined : `${page.split('#')[0]}#trace`;
}

const PAGES: Readonly<Record<string, DetailKind>> = {
  call: 'calls',
  event: 'events',
  delivery: 'deliveries',
  listener: 'endpoints',
  endpoint: 'endpoints',
  charge: 'charges',
  withdrawal: 'withdrawals',
  session: 'identity',
};

export function getEntryPage(entry: EntryView): string | undefined {
  const { kind, id, resource = '', command, event_id: event } = entry;
  if (id === null) return undefined;
  if (kind === 'attempt') return `/deliveries/${entry.delivery_id}#attempt-${entry.attempt}`;
  const [, payment = ''] = /^(charge|withdrawal)\./.exec(command ?? '') ?? [];
  const page = PAGES[kind] ?? PAGES[resource] ?? PAGES[payment];
  if (page !== undefined) return `/${page}/${id}`;
  return event === undefined ? undefined : `/events/${event}`;
}

/** A step of a payment's history. Events include their deliveries. */
interface HistoryItem {
  readonly step: HistoryStep;
  readonly deliveries: readonly HistoryStep[];
}

/**
 * Lists, oldest first, a payment's changes and events, plus every state restore since the payment was
 * created. Steps before the creation belong to another payment, because a reset sandbox reuses ids.
 */
export function createHistory(histories: Histories, id: string): HistoryItem[] {
  const steps = histories.steps.filter(
    ({ entry }) => entry.id === id || entry.resource_id === id || isRestored(entry),
  );
  const begins = Math.max(
    steps.findLastIndex(({ entry: { kind, from } }) => kind === 'change' && from === null),
    steps.findIndex(({ entry }) => entry.kind !== 'state'),
  );
  const own = begins < 0 ? [] : steps.slice(begins);
  const deliveriesOf = ({ entry: event }: HistoryStep) =>
    own.filter(
      ({ entry: { kind, from, event_id: of } }) =>
        event.kind === 'event' && kind === 'delivery' && from === null && of === event.id,
    );
  return own
    .filter(({ entry: { kind } }) => kind === 'change' || kind === 'event' || kind === 'state')
    .map((step) => ({ step, deliveries: deliveriesOf(step) }));
}

function isRestored({ kind, to }: EntryView): boolean {
  return kind === 'state' && (to === 'restored' || to === 'imported');
}

/** An attempt's signature and signed content (§6). */
export interface AttemptSignature {
  /** `rotated` means signed with both secrets after a rotation. */
  readonly by: DeliveryFaultAction | 'secret' | 'rotated';
  /** The signed text: id, timestamp and body, joined by dots. */
  readonly content: string;
}

/** Returns undefined if the request is no longer stored or was never sent. */
export function findAttemptSignature(
  { request_headers: headers, faults }: AttemptView,
  body: string | undefined,
): AttemptSignature | undefined {
  const signatures = headers?.['webhook-signature']?.split(' ');
  if (headers === undefined || signatures === undefined || body === undefined) return undefined;
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return { by: findForgery(faults)?.action ?? (signatures.length > 1 ? 'rotated' : 'secret'), content };
}

/** The number of failed deliveries matching a filter, and the options to retry them. */
interface FailedDeliveries extends RetryActionFilter {
  readonly count: number;
}

/** Returns undefined if retries do not support the filter or nothing has failed. */
export function findFailedDeliveries(histories: Histories, filter: string): FailedDeliveries | undefined {
  const terms = termsOf(filter);
  if (terms === undefined) return undefined;
  const { type, to } = terms;
  const failed = histories.deliveries.filter(
    (step) =>
      isFailed(listStates(histories, step).at(-1)) &&
      (to === undefined || step.entry.target?.toLowerCase().includes(to.toLowerCase()) === true),
  );
  const count = failed.filter(
    ({ entry }) => type === undefined || matchesGlob(type, entry.event_type ?? ''),
  ).length;
  const [endpoint, ...others] = new Set(failed.map(({ entry }) => entry.endpoint_id));
  if (count === 0 || (to !== undefined && others.length > 0)) return undefined;
  return { count, eventType: type, endpoint: to === undefined ? undefined : endpoint };
}

/** Returns the event type and target in a filter. Returns undefined if the filter contains any other term. */
function termsOf(filter: string): { readonly type?: string; readonly to?: string } | undefined {
  const terms: Record<string, string> = {};
  const parts = filter.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  for (const term of parts) {
    if (term === 'is:failed' || term === 'kind:delivery') continue;
    const [, key = '', value = ''] = /^(type|to):([^"]+)$/.exec(term) ?? [];
    if (key === '' || key in terms || (key === 'type' && !EVENT_PATTERNS.includes(value))) return undefined;
    terms[key] = value;
  }
  return terms;
}

/** Event types and wildcard patterns. */
export const EVENT_PATTERNS: readonly string[] = [...EVENT_TYPES, 'pix.*', 'withdrawal.*'];
