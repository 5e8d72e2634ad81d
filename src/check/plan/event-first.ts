import type { Bench } from '../bench.js';
import { RETRY_PAUSE_MS } from '../bench.js';
import type { Answer } from '../check.js';
import type { Paid } from '../orders.js';
import { OrderError } from '../orders.js';
import type { EventToSend } from '../send.js';
import { isAccepted } from '../response.js';

const NAME = 'check';
/** How many orders are tried until the event of one is answered before the call. */
const MOST_ORDERS = 4;
/** How often a late event is looked for, which would hold up the next. */
const MOST_READS = 20;

interface EventFirst {
  readonly charge: Paid;
  readonly answer: Answer;
}

/** An event that came to the listener, and what the application answered to it. */
interface Arrived {
  readonly event: EventToSend;
  readonly answer: Promise<Answer>;
}

/**
 * Makes an order whose `pix.settled` is delivered before the sandbox answers the call that creates its charge (§6 rule 2): a listener of our own
 * takes the event. What the application does not accept is sent again after the answer. The sandbox does not hold its answer for ever, so
 * an order that was answered first says nothing, and another is made. Rejects with OrderError where all were.
 */
export async function eventBeforeResponse(bench: Bench): Promise<EventFirst> {
  const { options, signal } = bench.kit;
  const { sandbox } = options;
  if (sandbox === undefined) throw new TypeError('This check needs a sandbox.');
  const { control } = sandbox;
  const ended = new AbortController();
  const listening = AbortSignal.any([ended.signal, signal]);
  const arrived = new Map<string, Arrived>();
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  let id = '';
  const listen = async () => {
    const body = { name: NAME, events: ['pix.settled'], retries: 'off' };
    for await (const message of control.stream('POST listeners', { body, signal: listening })) {
      if (message.type === 'ready') {
        ({ id } = message.listener);
        ready();
      } else if (message.type === 'attempt') {
        const event = {
          id: message.headers['webhook-id'] ?? '',
          type: 'pix.settled',
          body: Buffer.from(message.body, 'base64'),
        };
        const answer = bench.send(bench.right(event));
        arrived.set(chargeOf(event), { event, answer });
        await answer;
        const result = { attempt_id: message.attempt_id, response_status: 200, latency_ms: 1 };
        await control.post('listeners/:id/results', { id, body: result });
      }
    }
  };
  const listened = listen().catch((error: unknown) => {
    if (!listening.aborted) throw error;
  });
  try {
    await Promise.race([isReady, listened]);
    return await firstInTime(bench, sandbox, arrived);
  } finally {
    ended.abort();
    await listened;
    await control.delete('endpoints/:id', { id }).catch(() => undefined);
  }
}

/** Makes orders until the event of one has arrived before its call was answered. */
async function firstInTime(
  bench: Bench,
  { control }: NonNullable<Bench['kit']['options']['sandbox']>,
  arrived: ReadonlyMap<string, Arrived>,
): Promise<EventFirst> {
  const { orders, signal } = bench.kit;
  let code = '';
  for (let order = 0; order < MOST_ORDERS; order += 1) {
    const fault = await control.post('faults', {
      body: { action: 'event-first', method: 'POST', path: '/api/public/v1/pix', count: 1 },
    });
    const charge = await orders
      .ordered(signal)
      .finally(() => control.delete('faults/:id', { id: fault.id }).catch(() => undefined));
    const first = arrived.get(charge.id);
    if (first !== undefined) {
      const { event } = first;
      const answer = await first.answer;
      return { charge, answer: isAccepted(answer) ? answer : (await bench.deliver(event)).answer };
    }
    ({ code } = charge);
    for (let reads = 0; reads < MOST_READS && !arrived.has(charge.id); reads += 1)
      await bench.pause(RETRY_PAUSE_MS);
  }
  throw new OrderError(`The charge of ${code} was answered before its event.`);
}

function chargeOf({ body }: EventToSend): string {
  const { data } = JSON.parse(Buffer.from(body).toString('utf8')) as {
    readonly data: { readonly object: { readonly id: string } };
  };
  return data.object.id;
}
