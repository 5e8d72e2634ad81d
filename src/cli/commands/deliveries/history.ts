import type { ControlClient } from '../../../client/control-client.js';
import type {
  DeliveryLine,
  DeliveryView,
  EventLine,
  EventView,
  PageView,
  PausingView,
} from '../../../http/control/schema.js';
import { pageQuery, pathFor } from '../../program/arguments.js';
import { deliveryQuery, eventType } from './delivery-query.js';
import { usageError } from '../../program/errors.js';
import type { CommandBody, Invocation } from '../../program/io.js';
import { deliveryColumns, deliveryText, whatNext } from './text.js';
import { deliveriesText, eventColumns, eventText } from '../events/text.js';
import { sandboxNow, showPage } from '../../terminal/page.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

export const listEvents: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const query = { ...pageQuery(options), type: eventType(options) };
  await withSandbox(invocation, async (client) => {
    const page = await client.get<PageView<EventLine>>('events', query);
    await showPage(io, client, page, { what: 'events', columns: eventColumns });
  });
};

export const showEvent: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const event = await client.get<EventView>(pathFor(['events', args[0] ?? '']));
    io.emit(event);
    if (!io.json) io.say(eventText(io, event, await sandboxNow(client)));
  });

export const resendEvent: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args, options } = invocation;
    const path = pathFor(['events', args[0] ?? '', 'resend']);
    const endpoint = options.text('endpoint');
    const answer = await client.post<{ deliveries: DeliveryLine[] }>(path, { endpoint });
    io.emit(answer);
    if (!io.json) io.say(deliveriesText(io, answer.deliveries, await sandboxNow(client)));
  });

export const listDeliveries: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const query = { ...pageQuery(options), ...deliveryQuery(options) };
  await withSandbox(invocation, async (client) => {
    const page = await client.get<PageView<DeliveryLine>>('deliveries', query);
    const columns = (nowMs: number) => deliveryColumns(io, nowMs);
    await showPage(io, client, page, { what: 'deliveries', columns });
  });
};

export const showDelivery: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, args } = invocation;
    const delivery = await client.get<DeliveryView>(pathFor(['deliveries', args[0] ?? '']));
    io.emit(delivery);
    if (!io.json) io.say(deliveryText(io, delivery, await sandboxNow(client)));
  });

export const retryDelivery: CommandBody = async (invocation) => {
  const { args, options } = invocation;
  const [id] = args;
  if (options.flag('failed') === (id !== undefined)) {
    throw usageError('Which delivery? Give its id, or --failed for all that are FAILED.');
  }
  await withSandbox(invocation, (client) =>
    id === undefined ? retryFailed(client, invocation) : retryOne(client, id, invocation),
  );
};

/** `sandbox deliveries pause` */
export const pauseDeliveries: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const pausing = await client.post<PausingView>('deliveries/pause');
    io.emit(pausing);
    io.say(`Deliveries are paused. Held back so far: ${pausing.waiting}.`);
    if (!io.json) io.note('`npx pix-sandbox deliveries resume` lets them go.');
  });

/** `sandbox deliveries resume` */
export const resumeDeliveries: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const pausing = await client.post<PausingView>('deliveries/resume');
    io.emit(pausing);
    io.say(`Deliveries go on. Held back until now: ${pausing.waiting}.`);
  });

async function retryOne(client: ControlClient, id: string, { io }: Invocation): Promise<void> {
  const delivery = await client.post<DeliveryLine>(pathFor(['deliveries', id, 'retry']));
  io.emit(delivery);
  if (io.json) return;
  io.say(`delivery ${delivery.id} of ${delivery.event_type} is ${paintStatus(io, delivery.status)}`);
  io.say(hanging(`next  ${whatNext(delivery, await sandboxNow(client))}`, io.columns));
  io.note(hanging(`See what became of it: \`npx pix-sandbox deliveries show ${delivery.id}\`.`, io.columns));
}

/** Retries every dead letter there is now; one that fails again is not retried twice. */
async function retryFailed(client: ControlClient, { io }: Invocation): Promise<void> {
  const failed: DeliveryLine[] = [];
  let after: string | undefined;
  do {
    const page = await client.get<PageView<DeliveryLine>>('deliveries', {
      status: 'FAILED',
      limit: '50',
      after,
    });
    failed.push(...page.data);
    after = page.paging.after ?? undefined;
  } while (after !== undefined);
  const data: DeliveryLine[] = [];
  for (const { id } of failed)
    data.push(await client.post<DeliveryLine>(pathFor(['deliveries', id, 'retry'])));
  io.emit({ data });
  io.say(`Retried ${data.length} ${data.length === 1 ? 'delivery' : 'deliveries'}.`);
}
