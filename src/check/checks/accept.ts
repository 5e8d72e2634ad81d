import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { EVENT_TYPES } from '../../contract/enums.js';
import { mapConcurrently } from '../../delivery/abort.js';
import {
  requireAllAccepted,
  type CheckContext,
  type DeliveryBurst,
  type Check,
  forgeSignature,
  defineRequiredCheck,
  type CheckPlan,
  type SendOptions,
  defineRecommendedCheck,
  signVariant,
  withSignature,
} from '../bench.js';
import type { ReceiverResponse } from '../check.js';
import { createOrderEvent } from '../orders.js';
import { formatDifferences, isWithin } from '../probe.js';
import {
  formatResponses,
  formatResponse,
  getHeader,
  isAccepted,
  isRedirect,
  isRefused,
  isTimeout,
} from '../receiver-response.js';

const LARGE_BYTES = 256 * 1024;
const SKEW_S = 240;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const UNKNOWN_TYPE = 'pix.refunded';
/** A company with an alphanumeric CNPJ, a format introduced in July 2026. */
const COMPANY = { payer_name: 'Padaria Boa Vista Ltda', payer_document: '12ABC34501DE35' };
const ODD = {
  payer_name: 'Conceição Þórsdóttir 😀 \u2028',
  metadata: { note: 'São João — “R$ 10,00”', empty: '' },
};
const DECODED_IN_PIECES = {
  likely: 'each body chunk is decoded as text separately, which breaks characters split between chunks',
  fix: 'concatenate all chunks before decoding them',
};
const FIRST_MULTIBYTE = 0x80;
const NO_ORDER = { 'accept.two-good-first': 'events with two signatures are never accepted' };
const NO_EVENT = { 'accept.types': 'no event is accepted' };

function acceptance(sending: SendOptions): CheckPlan {
  return async (context) => requireAllAccepted(await context.sendEach(await context.charge(), sending));
}

const types: CheckPlan = async (context) => {
  const { without = [] } = context.options.options;
  const sent = EVENT_TYPES.filter(
    (type) => !(type.startsWith('withdrawal.') && without.includes('withdrawals')),
  );
  const responses: ReceiverResponse[] = [];
  for (const type of sent) {
    const about = type.startsWith('pix.') ? await context.charge() : context.options.orders.withdrawal();
    responses.push(await context.send(context.right(createOrderEvent(type, about, Date.now()))));
  }
  const refused = sent.filter((_, index) => !responses.slice(index, index + 1).every(isAccepted));
  const { outcome, got } = requireAllAccepted(responses);
  return {
    outcome,
    sent: `one valid event of each type: ${sent.join(', ')}`,
    got: refused.length === 0 ? got : `${refused.join(', ')}: ${got}`,
  };
};

const unknownType: CheckPlan = async (context) => {
  const charge = await context.charge();
  const changes = { type: UNKNOWN_TYPE, object: { status: 'REFUNDED' } };
  const { responses, effect } = await context.changesBy(charge, () => context.sendEach(charge, { changes }));
  const finding = requireAllAccepted(responses);
  if (finding.outcome !== 'holds' || effect === undefined) return finding;
  const { twins, after } = effect;
  const changed = effect.changed.filter(({ place }) => !isWithin(place, twins.recorded));
  // An application can store events about unknown charges and process them later.
  const isPaid = twins.observer.differences(twins.paid, after).length === 0;
  if (changed.length === 0 || !(context.isOrdered || isPaid)) return finding;
  const got = `${finding.got}; the order changed: ${formatDifferences(changed)}`;
  return { ...finding, outcome: 'fails', got };
};

/** Serializes JSON with formatting that no library produces. */
function oddlyWritten(envelope: object): string {
  const text = JSON.stringify(envelope, null, '\t').replaceAll('": ', '" :  ').replaceAll('\n', '\r\n');
  return ` ${text.replaceAll('/', String.raw`\/`)}\n\n`;
}

const raw: CheckPlan = async (context) => {
  const changes = { object: ODD, write: oddlyWritten };
  const whole = await context.sendEach(await context.charge(), { changes });
  if (!whole.every(isAccepted)) return requireAllAccepted(whole);
  const right = context.right(context.event(await context.charge(), changes));
  const splitAt = right.body.findIndex((byte) => byte >= FIRST_MULTIBYTE) + 1;
  const split = await context.send(right, { splitAt });
  return isAccepted(split)
    ? requireAllAccepted(whole)
    : { ...requireAllAccepted([split]), ...DECODED_IN_PIECES };
};

const large: CheckPlan = async (context) => {
  const bytes = Buffer.concat([PNG, randomBytes(LARGE_BYTES)]);
  const image = bytes.toString('base64').slice(0, LARGE_BYTES);
  return acceptance({ changes: { object: { qr_code_base64: image } } })(context);
};

const document: CheckPlan = async (context) => {
  const charge = await context.charge();
  const { twins, options, orders } = context.options;
  const before = context.isOrdered ? await twins?.observer.read(charge) : undefined;
  await orders.settle(charge);
  const finding = requireAllAccepted(await context.sendEach(charge, { changes: { object: COMPANY } }));
  if (finding.outcome !== 'holds') return finding;
  if (context.isOrdered && options.probe !== undefined && twins === undefined) {
    const reason = 'effect.paid did not pass, so this order cannot be verified as paid.';
    return { ...finding, outcome: 'gated', reason, gatedBy: 'effect.paid' };
  }
  if (twins === undefined || before === undefined) return finding;
  const { observer, unpaid, paid } = twins;
  const after = await observer.changed(before, charge);
  // The payer differs from the reference order's, so values must change but can differ from the paid state.
  const still = observer
    .differences(unpaid, paid)
    .filter(({ place, from }) => (after.get(place) ?? null) === from);
  if (still.length === 0) return finding;
  const places = still.map(({ place }) => place || 'the output').join(', ');
  return { ...finding, outcome: 'fails', got: `${finding.got}; unlike a paid order: ${places}` };
};

export const ACCEPT_CHECKS: readonly Check[] = [
  defineRequiredCheck('accept.types', '§6', {
    sends: 'one event of each of the five types',
    passes: '2xx for each',
    likely: 'the default branch of a switch over the types throws, or the secret differs',
    fix: 'acknowledge event types that you do not use',
    gates: { 'answer.redirect': 'redirected events are not accepted' },
    plan: types,
  }),
  defineRequiredCheck('accept.raw', '§5.5', {
    sends: 'a body with unusual whitespace, escapes and Unicode, also split inside a character',
    passes: '2xx',
    likely: 'the body is parsed and re-serialized before the signature is verified',
    fix: 'verify the raw bytes, then parse them',
    plan: raw,
  }),
  defineRequiredCheck('accept.two-good-first', '§5.5', {
    sends: 'two signatures, of which the first is valid',
    passes: '2xx',
    likely: 'the full header is compared with one signature',
    fix: 'split webhook-signature at spaces, and accept if any entry matches',
    plan: acceptance(withSignature((right) => `${right.signature} ${forgeSignature(right)}`)),
  }),
  defineRequiredCheck('accept.two-good-last', '§5.5', {
    sends: 'two signatures, of which the last is valid',
    passes: '2xx',
    likely: 'only the first signature is checked',
    fix: 'accept if any of the signatures matches',
    gates: NO_ORDER,
    plan: acceptance(withSignature((right) => `${forgeSignature(right)} ${right.signature}`)),
  }),
  defineRequiredCheck('accept.other-version', 'Standard Webhooks', {
    sends: 'a signature labeled v1a, then the valid one labeled v1',
    passes: '2xx',
    likely: 'an unknown version makes the receiver throw',
    fix: 'skip signatures with other versions',
    gates: { ...NO_ORDER, 'accept.two-good-last': 'only the first signature is checked' },
    plan: acceptance(
      withSignature((right) => `v1a,${randomBytes(64).toString('base64')} ${right.signature}`),
    ),
  }),
  defineRecommendedCheck('accept.skew', '§5.5', {
    sends: 'events signed 240 s in the past and 240 s in the future',
    passes: '2xx for both',
    likely: 'the tolerance is too small, or milliseconds are compared with seconds',
    fix: 'allow 300 s in both directions',
    plan: acceptance({
      variants: [-SKEW_S, SKEW_S].map((skewS) => (right) => {
        const timestamp = String(Number(right.timestamp) + skewS);
        return { ...right, timestamp, signature: signVariant(right, { timestamp }) };
      }),
    }),
  }),
  defineRecommendedCheck('accept.extra-field', '§9', {
    sends: 'unknown fields in the envelope and in the object',
    passes: '2xx',
    likely: 'a strict decoder rejects unknown fields',
    fix: 'ignore unknown fields',
    plan: acceptance({
      changes: {
        envelope: { trace_id: 'c0ffee', links: { self: null } },
        object: { installments: 1, tags: ['new'], payer: { bank: { ispb: '00000000' } } },
      },
    }),
  }),
  defineRecommendedCheck('accept.unknown-type', '§6', {
    sends: 'an event of an unknown type',
    passes: '2xx',
    effect: 'the order is unchanged',
    likely: 'an unknown type causes a 500 or is treated as a known one',
    fix: 'acknowledge unknown types and do nothing',
    gates: { 'accept.types': 'not even the known types are accepted' },
    plan: unknownType,
  }),
  defineRecommendedCheck('accept.unknown-resource', '§6 rule 2', {
    sends: 'an event about a charge that the application never created',
    passes: '2xx',
    likely: 'the handler uses an order without checking that it was found',
    fix: 'store the event until the charge is known, and respond 2xx',
    gates: NO_EVENT,
    plan: async (context) =>
      requireAllAccepted(await context.sendEach(context.options.orders.createUnknownCharge(), {})),
  }),
  defineRecommendedCheck('accept.document', '§2.1', {
    sends: 'a payment by a company with the alphanumeric CNPJ 12ABC34501DE35',
    passes: '2xx',
    effect: 'with a probe and an order command, the order is paid',
    likely: 'document validation accepts only digits',
    fix: 'store payer_document as text, and accept letters in its first twelve characters',
    gates: NO_EVENT,
    plan: document,
  }),
  defineRecommendedCheck('accept.large', 'Standard Webhooks', {
    sends: 'an event with a QR image of 256 KB',
    passes: '2xx',
    likely: 'the body size limit is too low',
    fix: 'allow bodies of at least 1 MB on this route',
    plan: large,
  }),
  defineRecommendedCheck('accept.chunked', 'RFC 9112 §7.1', {
    sends: 'a chunked body without content-length',
    passes: '2xx',
    likely: 'the handler relies on content-length, which is missing',
    fix: 'read the body until it ends',
    plan: acceptance({ more: { isChunked: true } }),
  }),
];

const AT_ONCE = 20;
const ORDERS_AT_ONCE = 8;
/** Minimum event-loop delay, as a share of the time limit, that indicates a busy machine. */
const BUSY_SHARE = 0.25;

interface Timing {
  readonly maxMs: number;
  readonly share: number;
}

const LIMIT: Timing = { maxMs: 10_000, share: 1 };
const ADVICE: Timing = { maxMs: 2_000, share: 0.95 };

/** Sends a burst. Repeats a slow burst and measures event-loop delays, which indicate a busy machine. */
async function burst(context: CheckContext): Promise<DeliveryBurst> {
  const responses = await allAtOnce(context);
  const isFast = [LIMIT, ADVICE].every((timing) => outcomeOf({ responses, delayMs: 0 }, timing) === 'holds');
  if (isFast || responses.some(isUnexpected)) return { responses, delayMs: 0 };
  await context.isAlive(0);
  const delay = monitorEventLoopDelay();
  delay.enable();
  const again = await allAtOnce(context);
  delay.disable();
  // An in-process receiver shares this event loop, so the delay says nothing about the machine.
  return { responses: again, delayMs: context.options.target.hasSocket ? delay.max / 1e6 : 0 };
}

async function allAtOnce(context: CheckContext): Promise<readonly ReceiverResponse[]> {
  const charges = await mapConcurrently(ORDERS_AT_ONCE, Array.from({ length: AT_ONCE }), () =>
    context.charge(),
  );
  return Promise.all(charges.map((charge) => context.send(context.right(context.event(charge)))));
}

function isUnexpected(response: ReceiverResponse): boolean {
  return !isAccepted(response) && !isTimeout(response);
}

function slowestMs({ responses }: DeliveryBurst, share: number): number {
  const times = responses
    .map((response) => (isTimeout(response) ? Infinity : response.ms))
    .toSorted((a, b) => a - b);
  return times[Math.ceil(share * AT_ONCE) - 1] ?? Infinity;
}

function outcomeOf(one: DeliveryBurst, { maxMs, share }: Timing): 'holds' | 'fails' | 'unknown' {
  if (slowestMs(one, share) < maxMs) return 'holds';
  return one.delayMs >= maxMs * BUSY_SHARE ? 'unknown' : 'fails';
}

function timing(wanted: Timing): CheckPlan {
  return async (context) => {
    context.options.burst ??= burst(context);
    const found = await context.options.burst;
    const got = formatResponses(found.responses);
    const odd = found.responses.find(isUnexpected);
    if (odd !== undefined)
      return { outcome: 'gated', got, reason: `Not all events were accepted: ${formatResponse(odd)}.` };
    const slowest = slowestMs(found, wanted.share);
    const what = wanted.share === 1 ? 'slowest' : `${wanted.share * 100}th percentile`;
    const time = slowest === Infinity ? 'without a response' : `${Math.round(slowest)} ms`;
    const outcome = outcomeOf(found, wanted);
    const reason = `The machine is too busy: the check process was blocked for ${Math.round(found.delayMs)} ms.`;
    return { outcome, got: `${got}; ${what} ${time}`, ...(outcome === 'unknown' ? { reason } : {}) };
  };
}

const redirect: CheckPlan = async (context) => {
  const [response] = await context.sendEach(await context.charge(), {});
  if (response?.status == null) return { outcome: 'gated', reason: 'The receiver did not respond.' };
  if (!isRedirect(response)) return { outcome: 'holds', got: formatResponse(response) };
  const to = getHeader(response, 'location');
  return {
    outcome: 'fails',
    got: to === undefined ? formatResponse(response) : `${response.status} to ${to}`,
  };
};

const get: CheckPlan = async (context) => {
  const charge = await context.charge();
  const send = () => context.sendEach(charge, { more: { method: 'GET' } });
  const { responses, effect } = await context.changesBy(charge, send);
  const got = formatResponses(responses);
  if (effect !== undefined && effect.changed.length > 0)
    return { outcome: 'fails', got: `${got}; the order changed: ${formatDifferences(effect.changed)}` };
  if (effect !== undefined || responses.every(isRefused)) return { outcome: 'holds', got };
  const reason = 'The GET was not rejected, and its effect is not observable without a probe.';
  return { outcome: 'unknown', got, reason };
};

const WORK_FIRST = {
  sends: 'twenty concurrent events',
  likely: 'the handler processes the event before it responds',
  fix: 'store the event, respond, then process it',
  runsAlone: true,
};

export const RESPONSE_CHECKS: readonly Check[] = [
  defineRequiredCheck('time.limit', '§6 rule 3', {
    ...WORK_FIRST,
    passes: '2xx for each within 10 s',
    plan: timing(LIMIT),
  }),
  defineRecommendedCheck('time.advice', '§6 rule 4', {
    ...WORK_FIRST,
    passes: '95% of the responses within 2 s',
    gates: { 'time.limit': 'responses take longer than 10 s' },
    plan: timing(ADVICE),
  }),
  defineRequiredCheck('answer.redirect', '§6 rule 3', {
    sends: 'a valid event',
    passes: 'no 3xx',
    likely: 'the URL has a missing or extra trailing slash, or requires a login',
    fix: 'register the exact URL and exempt it from login',
    plan: redirect,
  }),
  defineRecommendedCheck('answer.get', 'RFC 9110 §9.3.1', {
    sends: 'GET with the headers and body of a valid event',
    passes: 'no effect',
    likely: 'the route accepts any method',
    fix: 'accept only POST',
    plan: get,
  }),
  defineRecommendedCheck('answer.load', '§6 rule 3', {
    sends: 'eight concurrent checks',
    passes: 'no request fails only because of concurrency',
    likely: 'a lock, connection pool or database fails under concurrent requests',
    fix: 'let requests wait for the lock or connection, or shorten the transaction',
  }),
  defineRequiredCheck('answer.alive', '§6 rule 3', {
    sends: 'a valid event after each failed check and at the end',
    passes: '2xx, as at the start',
    likely: 'an uncaught exception ends the process',
    fix: 'catch exceptions in the handler, callbacks and background work',
  }),
];
