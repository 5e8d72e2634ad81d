import type { ControlClient } from '../../../client/control.js';
import type { DeliveryView } from '../../../http/control/schema.js';
import type { Differences } from '../../../text/exchange/differences.js';
import { differencesOf } from '../../../text/exchange/differences.js';
import { attemptExchange } from '../../../text/exchange/shown.js';
import type { Script } from '../../../text/shell/again.js';
import { attemptAgain } from '../../../text/shell/kept.js';
import { usageError } from '../../program/errors.js';
import { scriptOrUsage } from '../calls/again.js';

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
  const sent =
    delivery.attempt_log.length === 0 && number === undefined ? undefined : attemptOf(delivery, number);
  const body = await client.getText('events/:id/body', { id: delivery.event_id });
  return scriptOrUsage(attemptAgain(delivery, sent?.request_headers, body));
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
  const found: Differences = differencesOf(attemptExchange(before), attemptExchange(after));
  const unknown = [before, after]
    .filter(({ request_headers: headers }) => headers === undefined)
    .map(({ number }) => number);
  return { delivery: id, from: before.number, to: after.number, ...found, not_kept: unknown };
}
