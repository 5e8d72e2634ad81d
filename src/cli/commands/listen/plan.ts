import { matchesGlob } from '../../../text/globs.js';
import { LIMITS } from '../../../contract/limits.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { EventType } from '../../../contract/events.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { usageError } from '../../program/errors.js';
import { parseForwardTarget } from './forward-target.js';
import { listenerNames } from './listener-names.js';
import type { InvocationOf } from '../../program/declaration.js';
import { durationOf } from '../../program/options.js';
import { shortenedHeader } from '../../terminal/text.js';
import type { listen } from './command.js';

type Options = InvocationOf<typeof listen>['options'];

export interface ListenerPlan {
  readonly name: string;
  /** Without it, nothing is forwarded: what is valid and what is not is answered 200. */
  readonly target: URL | undefined;
  readonly events: readonly EventType[];
}

/** A fault as the control API takes it, without the endpoint, which is known after registration. */
export type PlannedFault = { readonly action: string } & Readonly<Record<string, string | number>>;

/** The listeners that `--forward-to`, `--events` and `--name` ask for: one for each target, or one without a target. */
export function planListeners({
  forwardTo,
  events: given = '*',
  name,
}: Pick<Options, 'forwardTo' | 'events' | 'name'>): readonly [ListenerPlan, ...ListenerPlan[]] {
  const wanted = eventsOf(given);
  const routes =
    forwardTo.length === 0
      ? [{ target: undefined, events: wanted }]
      : forwardTo.map((text) => planRoute(text, wanted));
  const names = listenerNames(
    name,
    routes.map(({ target }) => target),
  );
  const plans = routes.map(({ target, events }, index) => ({ name: names[index] ?? '', target, events }));
  return plans as [ListenerPlan, ...ListenerPlan[]];
}

/** What a `listen` without a target says first. */
export function nothingForwarded(verifies: boolean): string {
  const done = verifies ? 'verified here and answered 200' : 'answered 200 here, and not verified';
  return `Nothing is forwarded: every delivery is ${done}. To forward: --forward-to 3000/webhooks`;
}

function planRoute(text: string, wanted: readonly EventType[]): Omit<ListenerPlan, 'name'> {
  const [globs, target] = splitRoute(text);
  const events = globs === undefined ? wanted : eventsOf(globs).filter((type) => wanted.includes(type));
  if (events.length > 0) return { target: parseForwardTarget(target), events };
  throw usageError(`--forward-to ${withoutUrlSecrets(text)} and --events leave no event.`);
}

/** `pix.*=localhost:3000/pix` is a target for some events; a `=` after a `/` or `?` belongs to a URL. */
export function splitRoute(text: string): [globs: string | undefined, target: string] {
  const routed = /^([a-z*.,]+)=(.+)$/.exec(text);
  return routed === null ? [undefined, text] : [routed[1], routed[2] ?? ''];
}

/** The event types that a list of names and patterns such as `pix.*,withdrawal.failed` means. */
export function eventsOf(text: string): readonly EventType[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const wanted = new Set<EventType>();
  for (const pattern of patterns) {
    const found = EVENT_TYPES.filter((type) => matchesGlob(pattern, type));
    if (found.length === 0) oneOfOrUsage('event', pattern, EVENT_TYPES);
    for (const type of found) wanted.add(type);
  }
  return EVENT_TYPES.filter((type) => wanted.has(type));
}

/** The faults of `--simulate`, `--duplicate`, `--shuffle` and `--delay`. */
export function planFaults({
  simulate,
  duplicate,
  shuffle,
  delay,
}: Pick<Options, 'simulate' | 'duplicate' | 'shuffle' | 'delay'>): readonly PlannedFault[] {
  return [
    ...simulated(simulate),
    ...chance('--duplicate', duplicate, { action: 'duplicate', copies: 1 }),
    ...chance('--shuffle', shuffle, { action: 'reorder' }),
    ...delayed(delay),
  ];
}

const STEPS = '500, timeout, reset, slow:3s, lost or ok';
const STEP_ACTIONS: ReadonlyMap<string, string | undefined> = new Map([
  ['timeout', 'timeout'],
  ['reset', 'drop'],
  ['lost', 'lose-answer'],
  ['ok', undefined],
]);

/** The faults that the first, second, … attempt of each delivery hits. */
function simulated(text: string | undefined): PlannedFault[] {
  if (text === undefined) return [];
  return text.split(',').flatMap((step, index): PlannedFault[] => {
    const attempt = index + 1;
    const word = step.trim();
    if (/^[2-5]\d\d$/.test(word)) return [{ action: 'answer', status: Number(word), attempt }];
    if (word.startsWith('slow:')) {
      const delay = delayOrUsage('--simulate slow', word.slice('slow:'.length));
      return [{ on: 'delivery', action: 'slow', delay, attempt }];
    }
    if (!STEP_ACTIONS.has(word)) {
      throw usageError(
        `--simulate takes ${STEPS}, separated by commas; got ${word}.`,
        'For example: --simulate 500,timeout,ok',
      );
    }
    const action = STEP_ACTIONS.get(word);
    return action === undefined ? [] : [{ action, attempt }];
  });
}

function delayOrUsage(what: string, text: string): string {
  if (durationOf(text, what).ms <= LIMITS.faultDelayMs) return text;
  throw usageError(`${what} takes a duration of real time up to 60s; got ${text}.`);
}

function probabilityOf(option: string, text: string): number {
  const probability = Number(text);
  if (text.trim() !== '' && probability > 0 && probability <= 1) return probability;
  throw usageError(`${option} takes a probability above 0 and up to 1, such as 0.2; got ${text}.`);
}

function chance(option: string, text: string | undefined, fault: PlannedFault): PlannedFault[] {
  return text === undefined ? [] : [{ ...fault, probability: probabilityOf(option, text) }];
}

/** `--delay 2s`, or `--delay 0.5:2s` with a probability. */
function delayed(text: string | undefined): PlannedFault[] {
  if (text === undefined) return [];
  const colon = text.indexOf(':');
  const delay = delayOrUsage('--delay', text.slice(colon + 1));
  const probability = colon < 0 ? 1 : probabilityOf('--delay', text.slice(0, colon));
  return [{ on: 'delivery', action: 'delay', delay, probability }];
}

/** Headers added to every forwarded request; they must not replace those of the delivery. */
export function planHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const text of texts) {
    const match =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*((?:[!-~\x80-\x9f\xa1-\xff][\t\x20-\x7e\x80-\xff]*)?)$/.exec(
        text,
      );
    const name = match?.[1]?.toLowerCase();
    if (name === undefined) throw usageError(`--header takes 'Name: value'; got ${shortenedHeader(text)}.`);
    if (name.startsWith('webhook-') || RESERVED.has(name)) {
      throw usageError(`--header cannot replace ${name}: it belongs to the delivery.`);
    }
    headers[name] = match?.[2] ?? '';
  }
  return headers;
}

const RESERVED = new Set(['content-type', 'content-length', 'transfer-encoding', 'connection', 'user-agent']);
