import type { ControlClient } from '../../../client/control.js';
import type { DeliveryView } from '../../../http/control/schema.js';
import type { Differences, SeenExchange } from '../../../text/exchange/differences.js';
import { differencesOf } from '../../../text/exchange/differences.js';
import { isHidden } from '../../../text/exchange/again.js';
import { listenerNameOf } from '../../../text/listener-name.js';
import type { Script } from '../../../text/shell/again.js';
import { webhookScript } from '../../../text/shell/again.js';
import { usageError } from '../../program/errors.js';
import { targetOf } from '../endpoints/text.js';

type AttemptView = DeliveryView['attempt_log'][number];

/** An attempt by its number; the last one without. Throws a usage error that names those there are. */
export function attemptOf({ attempt_log: log, id }: DeliveryView, number?: number): AttemptView {
  const found = number === undefined ? log.at(-1) : log.find((attempt) => attempt.number === number);
  if (found !== undefined) return found;
  const known = log.map((attempt) => attempt.number).join(', ');
  throw usageError(
    log.length === 0
      ? `There was no attempt of the delivery ${id} yet.`
      : `There is no attempt ${number} of the delivery ${id}.`,
    log.length === 0 ? 'See `npx sandbox deliveries show`.' : `There are ${known}.`,
  );
}

/** The commands that send an attempt again. */
export async function scriptOf(
  client: ControlClient,
  delivery: DeliveryView,
  number?: number,
): Promise<Script> {
  const url = urlOf(delivery);
  const sent =
    delivery.attempt_log.length === 0 && number === undefined ? undefined : attemptOf(delivery, number);
  const { payload } = await client.get('events/:id', { id: delivery.event_id });
  const headers = Object.entries(sent?.request_headers ?? { 'content-type': 'application/json' });
  return webhookScript({ url, id: delivery.event_id, headers, body: Buffer.from(JSON.stringify(payload)) });
}

function urlOf({ endpoint_url: url, endpoint_name: name }: DeliveryView): string {
  if (url === null) {
    throw usageError(
      'The endpoint of this delivery was deleted.',
      'Send its event with `npx sandbox events resend`.',
    );
  }
  const target = listenerNameOf(url) === '' ? url : targetOf(name)?.target;
  if (target !== undefined && !isHidden(target)) return target;
  throw usageError(
    target === undefined
      ? 'The listener of this delivery names no URL.'
      : 'The URL that the listener forwards to holds a secret.',
    'Sign its body for the URL: `npx sandbox sign webhook body.json --curl URL`.',
  );
}

/** What differs in two attempts, by default the last two. */
export function attemptsCompared(delivery: DeliveryView, from?: number, to?: number) {
  const { id, attempt_log: log } = delivery;
  if ((from === undefined) !== (to === undefined))
    throw usageError('Compare two attempts; got one number.', 'Give both, or none for the last two.');
  if (log.length < 2) throw usageError(`Two attempts are compared; the delivery ${id} has ${log.length}.`);
  const [before, after] =
    from === undefined ? [log.at(-2), log.at(-1)] : [attemptOf(delivery, from), attemptOf(delivery, to)];
  if (before === undefined || after === undefined) throw new Error('Expected two attempts.');
  const found: Differences = differencesOf(exchangeOf(before), exchangeOf(after));
  const unknown = [before, after]
    .filter(({ request_headers: headers }) => headers === undefined)
    .map(({ number }) => number);
  return { delivery: id, from: before.number, to: after.number, ...found, not_kept: unknown };
}

function exchangeOf({
  response_status: status,
  error,
  request_headers: headers,
  response,
}: AttemptView): SeenExchange {
  const request = headers === undefined ? undefined : { headers: Object.entries(headers) };
  return { method: 'POST', path: '', status, error, request, response };
}
