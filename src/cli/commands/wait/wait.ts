import { parseDuration } from '../../../contract/time.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import { countOrUsage, durationOrUsage } from '../../program/arguments.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { deliveryQuery } from '../deliveries/delivery-query.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import type { CommandBody, Invocation } from '../../program/io.js';
import { deliveriesText } from '../events/text.js';
import { sandboxNow } from '../../terminal/page.js';
import { untilAborted } from '../../program/until-aborted.js';
import { waitUntilReady } from '../../sandbox/wait-ready.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

const WAITS = { ready, idle, delivery } as const;
const NAMES = Object.keys(WAITS) as (keyof typeof WAITS)[];

/** `sandbox wait`: exit 4 when the time is up first. */
export const wait: CommandBody = async (invocation) => {
  const { args, options } = invocation;
  if (args[0] === undefined) {
    throw usageError(`Wait for what? One of ${NAMES.join(', ')}.`, 'For example: npx pix-sandbox wait ready');
  }
  const what = oneOfOrUsage('wait for', args[0], NAMES);
  await WAITS[what](invocation, durationOrUsage('--timeout', options.text('timeout') ?? '30s'));
};

function timedOut(message: string, hint: string): CliError {
  return new CliError(EXIT.timedOut, 'TIMED_OUT', message, { hint });
}

async function ready(invocation: Invocation, timeout: string): Promise<void> {
  const { io } = invocation;
  const { url, answer } = await waitUntilReady(invocation, {
    ms: parseDuration(timeout) ?? 0,
    text: timeout,
  });
  io.emit(answer);
  io.say(`The sandbox at ${url} is ready (version ${answer.version}).`);
}

function idle(invocation: Invocation, timeout: string): Promise<void> {
  return withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const answer = await untilAborted(client.get<{ idle: boolean }>('idle', { timeout }), io.stopping);
    if (!answer.idle) {
      throw timedOut(
        `The sandbox was not idle within ${timeout}.`,
        '`npx pix-sandbox status` shows what is in flight.',
      );
    }
    io.emit(answer);
    io.say('The sandbox is idle: nothing is in flight and nothing is due now.');
  });
}

async function delivery(invocation: Invocation, timeout: string): Promise<void> {
  const { io, options } = invocation;
  const count = countOrUsage('--count', options.text('count') ?? '1');
  const query = deliveryQuery(options);
  await withSandbox(invocation, async (client) => {
    const answer = await untilAborted(
      client.get<Found>('deliveries/wait', { ...query, count, timeout }),
      io.stopping,
    );
    const { satisfied, deliveries } = answer;
    if (!satisfied) {
      throw timedOut(
        `Waited ${timeout} for ${describe(count, query)}; there ${deliveries.length === 1 ? 'is' : 'are'} ${deliveries.length}.`,
        '`npx pix-sandbox deliveries list` shows all of them.',
      );
    }
    io.emit(answer);
    if (!io.json) io.say(deliveriesText(io, deliveries, await sandboxNow(client)));
  });
}

interface Found {
  readonly satisfied: boolean;
  readonly deliveries: DeliveryLine[];
}

/** Such as `2 deliveries with status FAILED and event_type pix.settled`. */
function describe(count: string, query: Readonly<Record<string, string | undefined>>): string {
  const wanted = count === '1' ? '1 delivery' : `${count} deliveries`;
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  return parts.length === 0 ? wanted : `${wanted} with ${parts.join(' and ')}`;
}
