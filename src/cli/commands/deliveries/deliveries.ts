import type { ControlClient } from '../../../client/control-client.js';
import type { DeliveryLine, DeliveryView, PageView, PausingView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { pathFor, present, presentAt, presentPage } from '../../sandbox/present.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging } from '../../terminal/text.js';
import type * as declared from './command.js';
import { deliveryColumns, deliveryText, whatNext } from './text.js';

export const list: BodyOf<typeof declared.list> = presentPage(
  'deliveries',
  ({ status, type: event_type, endpoint, event }) => ({ status, event_type, endpoint, event }),
  deliveryColumns,
);

export const show: BodyOf<typeof declared.show> = presentAt(
  (client, { args }) => client.get<DeliveryView>(pathFor(['deliveries', args.id])),
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
  (client) => client.post<PausingView>('deliveries/pause'),
  (_, { waiting }) => `Deliveries are paused. Held back so far: ${waiting}.`,
  () => '`npx pix-sandbox deliveries resume` lets them go.',
);

export const resume = present(
  (client) => client.post<PausingView>('deliveries/resume'),
  (_, { waiting }) => `Deliveries go on. Held back until now: ${waiting}.`,
);

function postRetry(client: ControlClient, id: string): Promise<DeliveryLine> {
  return client.post<DeliveryLine>(pathFor(['deliveries', id, 'retry']));
}

function retryOne(id: string) {
  return presentAt(
    (client) => postRetry(client, id),
    (io, delivery, nowMs) =>
      [
        `delivery ${delivery.id} of ${delivery.event_type} is ${paintStatus(io, delivery.status)}`,
        hanging(`next  ${whatNext(delivery, nowMs)}`, io.columns),
      ].join('\n'),
    (io, delivery) =>
      hanging(`See what became of it: \`npx pix-sandbox deliveries show ${delivery.id}\`.`, io.columns),
  );
}

/** Retries every dead letter there is now; one that fails again is not retried twice. */
const retryFailed = present(
  async (client) => {
    const data: DeliveryLine[] = [];
    for (const { id } of await deadLetters(client)) data.push(await postRetry(client, id));
    return { data };
  },
  (_, { data }) => `Retried ${data.length} ${data.length === 1 ? 'delivery' : 'deliveries'}.`,
);

async function deadLetters(client: ControlClient): Promise<readonly DeliveryLine[]> {
  const failed: DeliveryLine[] = [];
  let after: string | undefined;
  do {
    const query = { status: 'FAILED', limit: '50', after };
    const page = await client.get<PageView<DeliveryLine>>('deliveries', query);
    failed.push(...page.data);
    after = page.paging.after ?? undefined;
  } while (after !== undefined);
  return failed;
}
