import { SandboxError } from '../../../client/control.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { present, presentAt, presentPage } from '../../sandbox/present.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging } from '../../terminal/text.js';
import type * as declared from './command.js';
import { deliveryColumns, deliveryText, whatNext } from './text.js';

export const list: BodyOf<typeof declared.list> = presentPage(
  'deliveries',
  ({ status, type: event_type, endpoint, event, app }) => ({ status, event_type, endpoint, event, app }),
  deliveryColumns,
);

export const show: BodyOf<typeof declared.show> = presentAt(
  (client, { args }) => client.get('deliveries/:id', { id: args.id }),
  deliveryText,
);

export const retry: BodyOf<typeof declared.retry> = async (invocation) => {
  const { args, options } = invocation;
  if (options.failed === (args.id !== undefined)) {
    throw usageError('Which delivery? Give its id, or --failed for all that are FAILED.');
  }
  await (args.id === undefined ? retryFailed : retryOne(args.id))(invocation);
};

export const pause = present(
  (client) => client.post('deliveries/pause'),
  (_, { waiting }) => `Deliveries are paused. Held back: ${waiting}.`,
  () => '`npx pix-sandbox deliveries resume` lets them go.',
);

export const resume = present(
  (client) => client.post('deliveries/resume'),
  (_, { waiting }) => `Deliveries resumed. Released: ${waiting}.`,
);

function retryOne(id: string) {
  return presentAt(
    (client) => client.post('deliveries/:id/retry', { id }),
    (io, delivery, nowMs) =>
      [
        `delivery ${delivery.id} of ${delivery.event_type} is ${paintStatus(io, delivery.status)}`,
        hanging(`next  ${whatNext(delivery, nowMs)}`, io.columns),
      ].join('\n'),
    (io, delivery) =>
      hanging(`To see the result: \`npx pix-sandbox deliveries show ${delivery.id}\`.`, io.columns),
  );
}

/** Retries every dead letter there is now, and counts those that cannot be; one that fails again is not retried twice. */
const retryFailed = present(
  async (client) => {
    const data: DeliveryLine[] = [];
    let skipped = 0;
    for (const { id } of await client.list('deliveries', { status: 'FAILED' })) {
      const retried = await client.post('deliveries/:id/retry', { id }).catch(nullIfRefused);
      if (retried === null) skipped += 1;
      else data.push(retried);
    }
    return { data, skipped };
  },
  (_, { data }) => `Retried ${data.length} ${data.length === 1 ? 'delivery' : 'deliveries'}.`,
  (_, { skipped }) =>
    skipped === 0
      ? ''
      : `Skipped ${skipped}, whose endpoint is disabled, deleted or away: \`npx pix-sandbox deliveries show <id>\` says what to do.`,
);

function nullIfRefused(error: unknown): null {
  if (error instanceof SandboxError && error.status === 409) return null;
  throw error;
}
