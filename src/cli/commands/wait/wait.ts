import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { CliError, EXIT, usageError } from '../../program/errors.js';
import { WAITS } from '../../program/shared-options.js';
import { untilAborted } from '../../../delivery/abort.js';
import { waitUntilReady, withSandbox } from '../../sandbox/find-sandbox.js';
import { sandboxNow } from '../../sandbox/present.js';
import { deliveriesText } from '../webhooks/webhooks.js';
import type { wait } from './command.js';

type Invocation = InvocationOf<typeof wait>;

const WAYS = { ready, idle, delivery };

/** `sandbox wait`: exit 4 on a timeout. */
export const waitFor: BodyOf<typeof wait> = async (invocation) => {
  const { what } = invocation.args;
  if (what === undefined) {
    throw usageError(`Wait for what? One of ${WAITS.join(', ')}.`, 'For example: npx sandbox wait ready');
  }
  await WAYS[oneOfOrUsage('wait for', what, WAITS)](invocation);
};

function timedOut(message: string, hint: string): CliError {
  return new CliError(EXIT.timedOut, 'TIMED_OUT', message, { hint });
}

async function ready(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const { url, answer } = await waitUntilReady(invocation, options.timeout);
  io.emit(answer);
  io.say(`The sandbox at ${url} is ready (version ${answer.version}).`);
}

function idle(invocation: Invocation): Promise<void> {
  return withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    const timeout = options.timeout.text;
    const answer = await untilAborted(client.get('idle', { timeout }), io.stopping);
    if (!answer.idle) {
      throw timedOut(
        `The sandbox was not idle within ${timeout}.`,
        '`npx sandbox status` shows what is in flight.',
      );
    }
    io.emit(answer);
    io.say('The sandbox is idle: nothing is in flight and nothing is due now.');
  });
}

async function delivery(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const timeout = options.timeout.text;
  const count = String(options.count);
  const query = { status: options.status, event_type: options.type, event: options.event };
  await withSandbox(invocation, async (client) => {
    const answer = await untilAborted(
      client.get('deliveries/wait', { ...query, count, timeout }),
      io.stopping,
    );
    const { satisfied, deliveries } = answer;
    if (!satisfied) {
      throw timedOut(
        `Waited ${timeout} for ${describe(count, query)}; there ` +
          `${deliveries.length === 1 ? 'is' : 'are'} ${deliveries.length}.`,
        '`npx sandbox deliveries list` shows all of them.',
      );
    }
    io.emit(answer);
    if (!io.json) io.say(deliveriesText(io, deliveries, await sandboxNow(client)));
  });
}

function describe(count: string, query: Readonly<Record<string, string | undefined>>): string {
  const wanted = count === '1' ? '1 delivery' : `${count} deliveries`;
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  return parts.length === 0 ? wanted : `${wanted} with ${parts.join(' and ')}`;
}
