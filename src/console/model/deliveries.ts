import { EVENT_TYPES } from '../../contract/enums.js';
import type { Forgery } from '../../contract/fault-kinds.js';
import { forgeryOf } from '../../contract/fault-kinds.js';
import type { AttemptView } from '../../http/control/schema.js';
import { matchesGlob } from '../../text/globs.js';
import type { RetryFilter } from './actions.js';
import { statesOf } from './rows.js';
import type { Stories } from './stories.js';

/** How the sandbox signed an attempt, and what (§6). */
export interface AttemptSignature {
  /** `rotated`: by both secrets of the endpoint, whose secret was rotated. */
  readonly by: Forgery | 'secret' | 'rotated';
  /** The signed bytes as text: id, timestamp and body, joined by dots. */
  readonly content: string;
}

/** Undefined where the request is no longer kept, or was never made. */
export function signatureOf(
  { request_headers: headers, faults }: AttemptView,
  body: string | undefined,
): AttemptSignature | undefined {
  const signatures = headers?.['webhook-signature']?.split(' ');
  if (headers === undefined || signatures === undefined || body === undefined) return undefined;
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return { by: forgeryOf(faults) ?? (signatures.length > 1 ? 'rotated' : 'secret'), content };
}

/** The failed deliveries that a filter selects, as the control API can be asked for them. */
export interface FailedDeliveries extends RetryFilter {
  readonly count: number;
}

/** Undefined where the filter has terms that a retry does not support, or where nothing has failed. */
export function failedBy(stories: Stories, filter: string): FailedDeliveries | undefined {
  const terms = termsOf(filter);
  if (terms === undefined) return undefined;
  const { type, to } = terms;
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

/** The event type and the target in a filter; undefined for one with any other term. */
function termsOf(filter: string): { readonly type?: string; readonly to?: string } | undefined {
  const terms: Record<string, string> = {};
  const parts = filter.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  for (const term of parts) {
    if (term === 'is:failed' || term === 'kind:delivery') continue;
    const [, key = '', value = ''] = /^(type|to):([^"]+)$/.exec(term) ?? [];
    if (key === '' || key in terms || (key === 'type' && !isEventPattern(value))) return undefined;
    terms[key] = value;
  }
  return terms;
}

function isEventPattern(text: string): boolean {
  return (EVENT_TYPES as readonly string[]).includes(text) || text === 'pix.*' || text === 'withdrawal.*';
}
