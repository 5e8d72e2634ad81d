import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../../contract/limits.js';
import type { EventType } from '../../../contract/events.js';
import type { AnnouncedEvent } from '../../../core/world.js';
import type { AttemptRequest, HttpSender } from '../../../delivery/http-attempt.js';
import { createHttpSender } from '../../../delivery/http-attempt.js';
import { withoutSecrets } from '../../../sandbox/attempt-records.js';
import { Sandbox } from '../../../sandbox/sandbox.js';
import { USER_AGENT } from '../../../sandbox/webhook-request.js';
import { signWebhook } from '../../../signing/webhook.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { InvocationOf } from '../../program/declaration.js';
import { isLoopback } from '../../sandbox/loopback.js';
import type { ListenerPlan } from '../listen/plan.js';
import { planListeners } from '../listen/plan.js';
import { answerText } from './answer-text.js';
import type { exec } from './command.js';
import type { Forgeries } from './forgeries.js';

/**
 * Sends each receiver of `--forward-to` on loopback one delivery with a wrong signature, and adds its answer to the forgeries.
 * Returns a sentence for each receiver that did not accept it or was not tried.
 */
export async function probeForged(
  { io, options }: Pick<InvocationOf<typeof exec>, 'io' | 'options'>,
  sandbox: Sandbox,
  forgeries: Forgeries,
): Promise<string[]> {
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  const said: string[] = [];
  try {
    for (const listener of planListeners({ ...options, name: undefined })) {
      if (io.stopping.aborted) break;
      const note = await probe({ listener, sandbox, sender, forgeries, signal: io.stopping });
      if (note !== undefined) said.push(note);
    }
  } catch (error) {
    if (!io.stopping.aborted) throw error;
  } finally {
    sender.close();
  }
  return said;
}

interface Probe {
  readonly listener: ListenerPlan;
  readonly sandbox: Sandbox;
  readonly sender: HttpSender;
  readonly forgeries: Forgeries;
  readonly signal: AbortSignal;
}

async function probe({ listener, sandbox, sender, forgeries, signal }: Probe): Promise<string | undefined> {
  const { target, events } = listener;
  if (target === undefined) return undefined;
  const place = withoutUrlSecrets(target.href);
  if (!isLoopback(target)) {
    return `nothing forged was sent to ${place}: --probe-forged sends to this machine's loopback only.`;
  }
  const { type, request } = forgedRequest(sandbox, events);
  const sent = await sender.send({ ...request, url: target.href }, signal);
  const result = withoutSecrets(sent, sandbox.secrets);
  if (result.status === null) {
    return `nothing forged was tried: ${place} no longer answers (${result.error}). ${KEEP_RUNNING}`;
  }
  forgeries.tried += 1;
  const answer = `${result.status}${answerText(result)}`;
  if (result.error !== null) return `${place} did not accept a forged ${type}, and answered ${answer}`;
  forgeries.accepted.push(
    `${place} accepted a ${type} with a wrong-signature after the command, with ${answer}`,
  );
  return undefined;
}

const KEEP_RUNNING =
  'Let the command leave your application running, or add the fault wrong-signature in a test.';

/**
 * A new event about a resource that the receiver knows, if it took one, signed with a secret that belongs to no endpoint: then
 * neither a duplicate nor an unknown resource hides that it does not verify.
 */
function forgedRequest(sandbox: Sandbox, events: readonly EventType[]) {
  const taken = sandbox.world.deliveries.rows.findLast(
    ({ status, event }) => status === 'DELIVERED' && events.includes(event.type),
  );
  if (taken !== undefined) return forged(sandbox, taken.event);
  const aside = new Sandbox();
  try {
    aside.dispatch({ type: 'trigger', event: events[0] ?? 'pix.settled' });
    const event = aside.world.events.rows.at(-1);
    if (event === undefined) throw new TypeError('A trigger made no event.');
    return forged(aside, event);
  } finally {
    aside.close();
  }
}

function forged(sandbox: Sandbox, known: AnnouncedEvent) {
  const id = `evt_${randomBytes(16).toString('hex')}`;
  const body = sandbox.bodyOf({ ...known, id });
  const secrets = `whsec_${randomBytes(32).toString('base64')}`;
  const signed = signWebhook({ id, timestampS: Math.floor(sandbox.realNow() / 1000), body, secrets });
  const headers = { 'user-agent': USER_AGENT, 'content-type': 'application/json', ...signed };
  const request: Omit<AttemptRequest, 'url'> = { headers, body, timeoutMs: LIMITS.attemptTimeoutMs };
  return { type: known.type, request };
}
