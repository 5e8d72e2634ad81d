import { EVENT_TYPES } from '../../contract/events.js';
import { matchesGlob } from '../../text/globs.js';
import { shellQuoted } from '../../text/shell/words.js';
import type { Action } from '../model/actions.js';
import { statesOf } from '../model/rows.js';
import type { Stories } from '../model/stories.js';
import type { Words } from '../words/words.js';

/** The failed deliveries that a filter is about, as the control API can be asked for them. */
export interface Failed {
  readonly count: number;
  readonly eventType: string | undefined;
  readonly endpoint: string | undefined;
}

/** Undefined where the filter asks for what a retry cannot, or where nothing has failed. */
export function failedBy(stories: Stories, filter: string): Failed | undefined {
  const asked = termsOf(filter);
  if (asked === undefined) return undefined;
  const { type, to } = asked;
  const endpoints = new Set<string>();
  let count = 0;
  for (const step of stories.deliveries) {
    const { event_type: eventType = '', target = '', endpoint_id: endpoint = '' } = step.entry;
    if (statesOf(stories, step).at(-1) !== 'FAILED') continue;
    if (to !== undefined && !target.toLowerCase().includes(to.toLowerCase())) continue;
    endpoints.add(endpoint);
    if (type === undefined || matchesGlob(type, eventType)) count += 1;
  }
  if (count === 0 || (to !== undefined && endpoints.size !== 1)) return undefined;
  return { count, eventType: type, endpoint: to === undefined ? undefined : [...endpoints][0] };
}

/** Retries them all. */
export function retryAllAction({ live }: Words, { eventType, endpoint }: Failed): Action {
  const flags = [
    ...(eventType === undefined ? [] : ['--event', shellQuoted(eventType)]),
    ...(endpoint === undefined ? [] : ['--endpoint', shellQuoted(endpoint)]),
  ];
  return {
    done: live.retried,
    command: ['deliveries retry --failed', ...flags].join(' '),
    run: (client) =>
      client.post('deliveries/retry', { body: { status: 'FAILED', event_type: eventType, endpoint } }),
  };
}

/** The event type and the target that a filter names; undefined for one that asks for anything else. */
function termsOf(
  filter: string,
): { readonly type: string | undefined; readonly to: string | undefined } | undefined {
  const asked = new Map<string, string>();
  for (const term of filter.split(/\s+/).filter((part) => part !== '')) {
    const [, key = '', value = ''] = /^([a-z]+):([^"]+)$/.exec(term) ?? [];
    if (term === 'is:failed' || term === 'kind:delivery') asked.set(term, value);
    else if ((key === 'type' && isEventPattern(value)) || key === 'to') {
      if (asked.has(key)) return undefined;
      asked.set(key, value);
    } else return undefined;
  }
  return asked.size === 0 ? undefined : { type: asked.get('type'), to: asked.get('to') };
}

function isEventPattern(text: string): boolean {
  return (EVENT_TYPES as readonly string[]).includes(text) || text === 'pix.*' || text === 'withdrawal.*';
}
