import { OrderError } from '../order.js';
import type { Answer } from '../check.js';
import type { Bench } from './bench.js';
import { isAccepted } from './bench.js';
import type { Paid } from './events.js';

const NAME = 'check';

interface EventFirst {
  readonly charge: Paid;
  readonly answer: Answer;
}

/**
 * Makes an order whose `pix.settled` is delivered before the sandbox answers the call that creates its charge (§6 rule 2): a listener of our own
 * takes the event. What the application does not accept is sent again after the answer.
 */
export async function eventBeforeResponse(bench: Bench): Promise<EventFirst> {
  const { orders, options, signal } = bench.kit;
  const { sandbox } = options;
  if (sandbox === undefined) throw new TypeError('This check needs a sandbox.');
  const { control } = sandbox;
  const ended = new AbortController();
  const listening = AbortSignal.any([ended.signal, signal]);
  let first:
    | { readonly answer: Answer; readonly event: { id: string; type: string; body: Uint8Array } }
    | undefined;
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
        first = { event, answer: await bench.send(bench.right(event)) };
        const result = { attempt_id: message.attempt_id, response_status: 200, latency_ms: 1 };
        await control.post('listeners/:id/results', { id, body: result });
      }
    }
  };
  const listened = listen().catch((error: unknown) => {
    if (!listening.aborted) throw error;
  });
  const fault = await Promise.race([isReady, listened]).then(() =>
    control.post('faults', {
      body: { action: 'event-first', method: 'POST', path: '/api/public/v1/pix', count: 1 },
    }),
  );
  try {
    const charge = await orders.ordered(signal);
    if (first === undefined)
      throw new OrderError(`The charge of ${charge.code} was answered without its event.`);
    const { answer, event } = first;
    return { charge, answer: isAccepted(answer) ? answer : (await bench.deliver(event)).answer };
  } finally {
    ended.abort();
    await listened;
    await control.delete('faults/:id', { id: fault.id }).catch(() => undefined);
    await control.delete('endpoints/:id', { id }).catch(() => undefined);
  }
}
