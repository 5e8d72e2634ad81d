import type { ControlClient } from '../../../client/control.js';
import type { Triggered } from '../../../client/routes.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import { paymentFields } from '../payments/command.js';
import { movable } from '../payments/payments.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { EXIT, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { hanging } from '../../terminal/text.js';
import { atMostEvery } from '../../terminal/progress.js';
import { unreachedHints } from '../webhooks/webhooks.js';
import type { Burst } from './burst.js';
import { runBurst } from './burst.js';
import type { trigger } from './command.js';
import { summaryOf, triggeredLines } from './text.js';

/** How long to wait for the first attempts: a little longer than an attempt's own limit. */
const FIRST_ATTEMPT_TIMEOUT = { text: '12s', ms: 12_000 };
const PROGRESS_MS = 200;
const BAR_WIDTH = 24;
/** Aligns further lines of a hint with its first word. */
const HINT_INDENT = ' '.repeat('hint  '.length);

/** `sandbox trigger`: makes an event happen and prints how its deliveries went. */
export const triggerEvent: BodyOf<typeof trigger> = async (invocation) => {
  const { io, args, options } = invocation;
  if (args.event === undefined) {
    throw usageError(
      `Which event? One of ${EVENT_TYPES.join(', ')}.`,
      'For example: npx sandbox trigger pix.settled',
    );
  }
  const type = oneOfOrUsage('event', args.event, EVENT_TYPES);
  const { count = 1, rate, wait, timeout } = options;
  const burst = {
    body: body(type, options),
    count,
    rate,
    until: wait ? ('ended' as const) : ('attempted' as const),
    timeout: wait ? timeout : FIRST_ATTEMPT_TIMEOUT,
    signal: io.stopping,
    onProgress: progressBar(count, io),
  };
  const { triggered, payUrl, endpoints } = await withSandbox(invocation, async (client) => {
    const made = await runBurst(client, burst);
    return {
      triggered: made,
      payUrl: await payUrlOf(client, made),
      endpoints: made.deliveries.length > 0 ? [] : (await client.get('endpoints', { app: options.app })).data,
    };
  });
  io.emit(options.count === undefined ? triggered : { ...triggered, summary: summaryOf(triggered) });
  io.say(triggeredLines(triggered, io).join('\n'));
  if (payUrl !== undefined) io.say(`pay page  ${payUrl}`);
  if (triggered.deliveries.length === 0) {
    io.note(io.colour.yellow('No endpoint and no listener receives this event.'));
    const hints = unreachedHints(io.program, type, endpoints);
    for (const hint of hints.length > 0 ? hints : [listenHint(io)]) {
      io.note(`${io.colour.cyan('hint')}  ${hanging(hint, io.columns, HINT_INDENT)}`);
    }
  }
  if (triggered.deliveries.some(isHeldBack)) {
    io.note(io.colour.yellow(`Deliveries are paused; \`${io.program} deliveries resume\` lets them go.`));
  }
  return wait ? exitCode(triggered, io) : EXIT.done;
};

/** The pay page of the charge, if the events are about a single one and it can still be paid: the one that has expired. */
async function payUrlOf(client: ControlClient, { events }: Triggered): Promise<string | undefined> {
  const [{ type, resource } = {}, ...others] = events;
  if (type !== 'pix.expired' || resource === undefined) return undefined;
  if (others.some((event) => event.resource.id !== resource.id)) return undefined;
  // The sandbox may have left or been reset since; what was triggered is the answer all the same.
  const charge = await client.get('charges/:id', { id: resource.id }).catch(() => undefined);
  return charge !== undefined && movable('charge', ['settle']).includes(charge.status)
    ? charge.pay_url
    : undefined;
}

function listenHint({ program }: Io): string {
  return `\`${program} listen --forward-to localhost:3000/webhooks\` delivers to your application, and so does \`${program} start --forward-to localhost:3000/webhooks\`; \`${program} listen\` alone verifies and answers 200, as does the test receiver (v in the terminal of \`start\`).`;
}

function isHeldBack({ blocked_by }: DeliveryLine): boolean {
  return blocked_by === 'paused';
}

function body(type: string, options: InvocationOf<typeof trigger>['options']): Burst['body'] {
  const { charge, withdrawal, reason, late, override, app } = options;
  const fields = paymentFields(options);
  return {
    type,
    charge,
    withdrawal,
    ...(Object.keys(fields).length === 0 ? {} : { with: fields }),
    reason,
    ...(late ? { late } : {}),
    override,
    app,
  };
}

/** A progress bar on stderr, only on a terminal. */
function progressBar(count: number, { progress, columns }: Io): (made: number) => void {
  if (columns === 0) return () => undefined;
  const show = (made: number) => {
    const filled = Math.round((made / count) * BAR_WIDTH);
    progress(`[${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}] ${made} of ${count}`);
  };
  return atMostEvery(PROGRESS_MS, () => performance.now(), show);
}

function exitCode({ reached, deliveries }: Triggered, io: Io): number {
  if (deliveries.length === 0 || deliveries.some(({ status }) => status === 'FAILED')) return EXIT.no;
  if (reached) return EXIT.done;
  io.note(
    `Not every delivery has ended in time. \`${io.program} clock advance 45h\` runs the whole retry schedule.`,
  );
  return EXIT.timedOut;
}
