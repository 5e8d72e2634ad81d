import { EVENT_TYPES } from '../contract/enums.js';
import { formatDuration, MINUTE_MS, SECOND_MS } from '../contract/time.js';
import * as resources from '../core/resources/resources.js';
import { isObject } from '../schema/object.js';
import { verifyWebhook } from '../signing/webhook.js';
import { parseJson } from '../text/json.js';
import type { FactId } from './facts.js';
import type { ReceivedWebhook } from './implementation.js';
import { addAllowedTokens, normalizeResponse } from './normalize.js';
import { type Observer, readField, readInstant } from './observer.js';

const WEBHOOK_FACTS = [
  'event.qr_image',
  'webhook.timestamp',
  'event.object',
] as const satisfies readonly FactId[];
const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent'];
/** Clocks that differ less than this are considered equal. */
const SAME_CLOCK_MS = MINUTE_MS;

/** Creates the endpoint, and observes the webhooks of one payment and the first retry (§4.4, §6, §8). */
export async function askWebhooks(observer: Observer): Promise<void> {
  const { webhooks } = observer.of;
  if (webhooks === undefined) return;
  if (observer.notes['endpoint sent'] !== undefined) {
    const reason = 'An interrupted run may have created the endpoint; no second one is created.';
    return observer.giveUp(reason, ...WEBHOOK_FACTS);
  }
  const name = 'POST /webhook-endpoints';
  const response = await observer.ask({
    fact: 'endpoint.create',
    name,
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: webhooks.url, events: EVENT_TYPES, description: 'pix-sandbox parity probe' },
    expects: 'creation',
    onSend: () => observer.note('endpoint sent', 'yes'),
    ...(observer.notes['signature.encoding'] === undefined ? {} : { signs: {} }),
    schema: resources.ENDPOINT_WITH_SECRET.whole,
  });
  const secret = readField(response, 'secret');
  if (response.status >= 300 || typeof secret !== 'string') {
    return observer.giveUp(`The endpoint gets ${response.status}.`, ...WEBHOOK_FACTS);
  }
  await webhooks.pay();
  const webhook = await webhooks.next();
  if (webhook === undefined) return;
  recordWebhook(observer, webhook, secret);
  const retried = await webhooks.awaitRetry();
  if (retried === undefined) return;
  const seconds = Math.round(retried.waitedMs / SECOND_MS / 10) * 10;
  observer.relate('webhook', 'relation of retry', `after ${formatDuration(seconds * SECOND_MS)}`);
  const isSame = retried.webhook.headers['webhook-id'] === webhook.headers['webhook-id'];
  observer.relate('webhook', 'relation of retried webhook-id', isSame ? 'the same' : 'another');
  observer.relate(
    'webhook',
    'relation of retried body',
    retried.webhook.body === webhook.body ? 'the same' : 'another',
  );
}

function recordWebhook(observer: Observer, { headers, body, atMs }: ReceivedWebhook, secret: string): void {
  const event = parseJson(body);
  const schema = resources.EVENT_SCHEMAS.find(({ name }) => name === eventName(event))?.whole;
  observer.record(
    'webhook',
    'event.object',
    normalizeWebhook(headers, event, observer.isSandbox ? schema : undefined),
  );
  // The age of the timestamp is a fact of its own.
  const nowS = Number(
    /^\d{1,12}$/.exec(headers['webhook-timestamp'] ?? '')?.[0] ?? Math.floor(atMs / SECOND_MS),
  );
  const verdict = verifyWebhook({ headers, body, secrets: [secret], nowS });
  observer.relate('webhook', 'relation of signature', verdict.ok ? 'valid' : verdict.cause);
  const id = isObject(event) ? event['id'] : undefined;
  observer.relate(
    'webhook',
    'relation of webhook-id',
    id === headers['webhook-id'] ? 'the event’s id' : 'another id',
  );
  const data = isObject(event) && isObject(event['data']) ? event['data']['object'] : undefined;
  if (isObject(data) && 'qr_code' in data) {
    observer.note('event.qr_image', typeof data['qr_code_base64'] === 'string' ? 'full' : 'omit');
  }
  const eventMs = readInstant(isObject(event) ? event['timestamp'] : undefined);
  if (Math.abs(eventMs - atMs) < SAME_CLOCK_MS) return;
  const stampMs = Number(headers['webhook-timestamp']) * SECOND_MS;
  if (Math.abs(stampMs - atMs) < SAME_CLOCK_MS) observer.note('webhook.timestamp', 'real');
  else if (Math.abs(stampMs - eventMs) < SAME_CLOCK_MS) observer.note('webhook.timestamp', 'sandbox');
}

function eventName(event: unknown): string | undefined {
  const type = isObject(event) ? EVENT_TYPES.find((one) => one === event['type']) : undefined;
  return type === undefined ? undefined : resources.getEventSchemaName(type);
}

function normalizeWebhook(
  headers: ReceivedWebhook['headers'],
  body: unknown,
  schema: Parameters<typeof addAllowedTokens>[1] | undefined,
) {
  const tokens = normalizeResponse({ status: 200, headers, body });
  const sent = HEADERS.filter((name) => headers[name] !== undefined).map((name) => [
    `header ${name}`,
    'present',
  ]);
  const all = { ...tokens, ...(Object.fromEntries(sent) as Record<string, string>) };
  return schema === undefined ? all : addAllowedTokens(all, schema);
}
