import { type ControlClient, SandboxError } from '../../client/control.js';
import { LIMITS } from '../../contract/limits.js';
import type { DeliveryView } from '../../http/control/exchanges.js';
import { usageError } from '../program/errors.js';

/** The delivery of this id, or the only one about the payment of this code. */
export async function findDelivery(client: ControlClient, name: string): Promise<DeliveryView> {
  try {
    return await client.get('deliveries/:id', { id: name });
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== 'NOT_FOUND') throw error;
    const { data } = await client.get('deliveries', { limit: LIMITS.pageSizeMax });
    const [only, ...others] = data.filter(({ resource }) => resource.code === name);
    if (only === undefined) throw error;
    if (others.length === 0) return client.get('deliveries/:id', { id: only.id });
    const known = [only, ...others].map((one) => `${one.id} (${one.event_type}, ${one.status})`);
    throw usageError(
      `${others.length + 1} deliveries are about ${name}.`,
      `Give the id: ${known.join(', ')}.`,
    );
  }
}

export type AttemptView = DeliveryView['attempt_log'][number];

/** Finds an attempt by its number, or the last one. Throws a usage error that lists the numbers. */
export function findAttempt({ attempt_log: log, id }: DeliveryView, number?: number): AttemptView {
  const found = number === undefined ? log.at(-1) : log.find((attempt) => attempt.number === number);
  if (found !== undefined) return found;
  if (log.length === 0)
    throw usageError(`There was no attempt of the delivery ${id} yet.`, 'See `npx sandbox deliveries show`.');
  const known = log.map((attempt) => attempt.number).join(', ');
  throw usageError(`There is no attempt ${number} of the delivery ${id}.`, `There are ${known}.`);
}
