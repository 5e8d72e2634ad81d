import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { present, presentAt, presentPage } from '../../sandbox/present.js';
import { comparedText } from '../../terminal/differences.js';
import { paintStatus } from '../../terminal/status.js';
import { hanging } from '../../terminal/text.js';
import { attemptOf, attemptsCompared, scriptOf } from './again.js';
import type * as declared from './command.js';
import { deliveryColumns, deliveryText, whatNext } from './text.js';

export const list: BodyOf<typeof declared.list> = presentPage(
  'deliveries',
  ({ status, type: event_type, endpoint, event, app }) => ({ status, event_type, endpoint, event, app }),
  deliveryColumns,
);

type Show = InvocationOf<typeof declared.show>;

const shown = presentAt(async (client, { args, options }: Show) => {
  const delivery = await client.get('deliveries/:id', { id: args.id });
  return options.attempt === undefined
    ? delivery
    : { ...delivery, attempt_log: [attemptOf(delivery, options.attempt)] };
}, deliveryText);

const asCurl = present(
  async (client, { args, options }: Show) => {
    const delivery = await client.get('deliveries/:id', { id: args.id });
    const { script, leftOut } = await scriptOf(client, delivery, options.attempt);
    return { curl: script, left_out: leftOut };
  },
  (_, { curl }) => curl,
);

export const show: BodyOf<typeof declared.show> = (invocation) =>
  (invocation.options.curl ? asCurl : shown)(invocation);

export const diff: BodyOf<typeof declared.diff> = present(
  async (client, { args }) =>
    attemptsCompared(await client.get('deliveries/:id', { id: args.id }), args.from, args.to),
  (io, { from, to, ...compared }) => comparedText(io, `attempt ${from}`, `attempt ${to}`, compared),
);

export const retry: BodyOf<typeof declared.retry> = async (invocation) => {
  const { args, options } = invocation;
  if (options.failed === (args.id !== undefined)) {
    throw usageError(
      'Which delivery? Give its id, or --failed for all that are FAILED.',
      '`npx sandbox deliveries list --status FAILED` shows them.',
    );
  }
  if (args.id !== undefined && (options.event ?? options.endpoint) !== undefined) {
    throw usageError('--event and --endpoint go with --failed.', 'Leave out the id, or the filters.');
  }
  await (args.id === undefined ? retryFailed : retryOne(args.id))(invocation);
};

export const pause = present(
  (client) => client.post('deliveries/pause'),
  (_, { waiting }) => `Deliveries are paused. Held back: ${waiting}.`,
  ({ program }) => `\`${program} deliveries resume\` lets them go.`,
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
        hanging(`next  ${whatNext(io, delivery, nowMs)}`, io.columns),
      ].join('\n'),
    (io, delivery) =>
      hanging(`To see the result: \`${io.program} deliveries show ${delivery.id}\`.`, io.columns),
  );
}

/** Retries every dead letter that fits, and counts those that cannot be. */
const retryFailed: BodyOf<typeof declared.retry> = present(
  (client, { options }) =>
    client.post('deliveries/retry', {
      body: { status: 'FAILED', event_type: options.event, endpoint: options.endpoint },
    }),
  (_, { retried }) => `Retried ${retried} ${retried === 1 ? 'delivery' : 'deliveries'}.`,
  ({ program }, { skipped, skipped_for: counts }) => {
    if (skipped === 0) return '';
    const reasons = Object.entries(counts).map(([why, count]) => `${count} ${why}`);
    return `Skipped ${skipped}, by their endpoint: ${reasons.join(', ')}. \`${program} deliveries show <id>\` says what to do.`;
  },
);
