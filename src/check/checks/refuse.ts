import {
  type CheckContext,
  type Check,
  forgeSignature,
  defineRequiredCheck,
  type CheckPlan,
  type ExpectedMessage,
  type SendOptions,
  defineRecommendedCheck,
  signVariant,
  type MessageVariant,
  withSignature,
} from '../bench.js';
import type { ReceiverResponse, CheckFinding } from '../check.js';
import { formatDifferences } from '../probe.js';
import { formatResponses, formatBody, isAccepted, isRefused, isTimeout } from '../receiver-response.js';
import { computeSignature } from '../send.js';

const FUTURE_S = 3_600;
/** Small enough for every tolerance, so that only the signature is invalid. */
const SMALL_SKEW_S = 10;
/** Lengths of a base64-encoded SHA-256 digest, and of a prefix of complete base64 groups. */
const SIGNATURE_LENGTH = 44;
const PREFIX_LENGTH = 40;
const LONG_BYTES = 10 * 1024;
/** Strings that some receivers sign in place of a missing header. */
const ABSENT_IDS = ['', 'undefined', 'null', 'None', 'nil', '<nil>'];
const ABSENT_TIMES = ['', '0', 'NaN', 'undefined', 'null', 'None'];
/** Signature ages with labels. The contract specifies no tolerance (§5.5), so the limit is an hour. */
const AGES: readonly (readonly [seconds: number, words: string])[] = [
  [600, '10 min'],
  [3_600, '1 h'],
  [86_400, '1 d'],
  [4 * 86_400, '4 d'],
];

const REFUSED = { passes: '4xx', effect: 'the order is unchanged' };
const UNVERIFIED = { 'refuse.secret': 'signatures are not verified at all' };
const THROWS = { 'refuse.garbage': 'the comparison throws' };
const NO_TOLERANCE = { 'refuse.old': 'the timestamp is not checked' };
const IGNORED = {
  isApplied: false,
  likely: 'the handler ignores a forged event, but responds as if it were valid',
  fix: 'respond 401 or 400, so that the sender notices',
};
const TOO_TOLERANT = {
  likely: 'the tolerance is too large or uses another unit',
  fix: 'reject timestamps more than 300 s from now',
};
const NOT_PARSED = {
  likely: 'the body is parsed after the response, or the parser error is ignored',
  fix: 'parse the body before the response, and respond 400 if parsing fails',
};

/** Checks that forged events get 4xx and have no effect. Each differs from a valid event in one detail. */
function refusal(sending: SendOptions): CheckPlan {
  return async (context) => (await forge(context, sending)).finding;
}

async function forge(
  context: CheckContext,
  sending: SendOptions,
): Promise<{ readonly finding: CheckFinding; readonly responses: readonly ReceiverResponse[] }> {
  await context.control();
  const charge = await context.charge();
  const { responses, effect } = await context.changesBy(charge, () => context.sendEach(charge, sending));
  const finding = refusedOrCrashed(responses);
  if (effect === undefined) return { finding, responses };
  if (effect.changed.length > 0) {
    const got = `${finding.got}; the order changed: ${formatDifferences(effect.changed)}`;
    return { finding: { outcome: 'fails', got, isApplied: true }, responses };
  }
  const accepted = responses.find(isAccepted);
  if (accepted === undefined) return { finding, responses };
  const got = `${finding.got}; a forged event gets ${accepted.status} but is not applied`;
  return { finding: { ...finding, ...IGNORED, got }, responses };
}

function allRefused(responses: readonly ReceiverResponse[]): CheckFinding {
  const others = responses.filter((response) => !isRefused(response));
  const got = formatResponses(others.length > 0 ? others : responses);
  return { outcome: others.length > 0 ? 'fails' : 'holds', got };
}

/** Like `allRefused`, but distinguishes crashes from accepted forged events. */
function refusedOrCrashed(responses: readonly ReceiverResponse[]): CheckFinding {
  const finding = allRefused(responses);
  const isCrash = (one: ReceiverResponse) => (one.status === null ? !isTimeout(one) : one.status >= 500);
  if (finding.outcome === 'holds' || !responses.every((one) => isRefused(one) || isCrash(one)))
    return finding;
  const what = responses.some(({ status }) => status === null) ? 'crashed' : 'responded with a server error';
  return { ...finding, got: `${finding.got}; not accepted, but the receiver ${what}`, hasCrashed: true };
}

function withTimestamp(timestamp: string): MessageVariant {
  return (right) => ({ ...right, timestamp, signature: signVariant(right, { timestamp }) });
}

function withSkew(seconds: number): MessageVariant {
  return (right) => withTimestamp(String(Number(right.timestamp) + seconds))(right);
}

/** Changes one digit of the amount: `100.00` becomes `900.00`. */
function withOtherByte({ body }: ExpectedMessage): Uint8Array {
  const changed = Buffer.from(body);
  const digit = changed.indexOf('"amount":"') + '"amount":"'.length;
  changed[digit] = changed[digit] === 0x39 ? 0x38 : 0x39;
  return changed;
}

const garbage: CheckPlan = async (context) => {
  await context.control();
  const texts = [
    `v1,${Buffer.from('ação ✓ 署名').toString('latin1')}`,
    `v1,${'A'.repeat(LONG_BYTES)}`,
    `v1,${'é'.repeat(SIGNATURE_LENGTH)}`,
    Buffer.from('v1,￿ é').toString('latin1'),
  ];
  return allRefused(
    await context.sendEach(await context.charge(), withSignature(...texts.map((text) => () => text))),
  );
};

const json: CheckPlan = async (context) => {
  await context.control();
  const charge = await context.charge();
  const responses = await context.sendEach(charge, { changes: { write: () => 'This is not JSON.' } });
  const finding = allRefused(responses);
  const alive = await context.sendEach(charge, {});
  if (!alive.every(isAccepted))
    return { outcome: 'fails', got: `${finding.got}; a valid event then got ${formatResponses(alive)}` };
  return responses.some(isAccepted) ? { ...finding, ...NOT_PARSED } : finding;
};

const old: CheckPlan = async (context) => {
  const [tolerable, ...tooOld] = AGES.map(([age]) => withSkew(-age));
  const { finding, responses } = await forge(context, { variants: tooOld });
  const recent = await context.sendEach(await context.charge(), { variants: tolerable ? [tolerable] : [] });
  const oldest = [...recent, ...responses].findLastIndex(isAccepted);
  if (oldest < 0) return finding;
  const [words, next] = AGES.slice(oldest, oldest + 2).map(([, age]) => age);
  const range = next === undefined ? `at least ${words}` : `between ${words} and ${next}`;
  const isBounded = finding.outcome === 'fails' && next !== undefined;
  const got = `${finding.got}; maximum accepted signature age: ${range}`;
  return { ...(isBounded ? TOO_TOLERANT : {}), ...finding, got };
};

/** Matches stack traces: by language in plain text, then by framework in HTML. */
const TRACES = [
  /^\s{1,8}at .{1,300}:\d+/m,
  /Traceback \(most recent call last\)/,
  /\(\w{1,100}\.(?:java|kt):\d+\)/,
  /goroutine \d+ \[/,
  /\.rb:\d+:in /,
  /\.php\(\d+\)/,
  /^\s{1,8}at .{1,300} in .{1,300}:line \d+/m,
  /<br> &nbsp; &nbsp;at /,
  /<code>DEBUG = True<\/code>/,
  /Werkzeug Debugger|Traceback <em>\(most recent call last\)/,
  /\.rb<\/code>: in|Rack::ShowExceptions/,
  /Action Controller: Exception caught|Application Trace/,
  /\.php<\/b> on line <b>/,
  /Whoops\\|class="Whoops|Whoops! There was an error/,
  /vendor\/laravel\/framework|"trace":\[\{"file"/,
  /id="trace-box-\d|Symfony Exception/,
];

export function hasStackTrace(text: string): boolean {
  return TRACES.some((trace) => trace.test(text));
}

const leak: CheckPlan = async (context) => {
  await context.control();
  const expected: string[] = [];
  const forged = (signature: (right: ExpectedMessage) => string) => (right: ExpectedMessage) => {
    const own = computeSignature(right);
    expected.push(own, Buffer.from(own, 'base64').toString('hex'));
    return signature(right);
  };
  const sending = withSignature(
    forged(forgeSignature),
    forged(() => 'v1,%%%'),
  );
  const responses = await context.sendEach(await context.charge(), sending);
  const text = responses
    .map((response) => `${response.headers.flat().join('\n')}\n${formatBody(response)}`)
    .join('\n');
  const key = context.options.options.secret.slice('whsec_'.length);
  const leaked = [
    expected.some((own) => text.includes(own)) ? 'its expected signature' : '',
    text.includes(key) ? 'its secret' : '',
    hasStackTrace(text) ? 'a stack trace' : '',
  ].filter(Boolean);
  const got = formatResponses(responses);
  if (leaked.length > 0) return { outcome: 'fails', got: `${got}, with ${leaked.join(' and ')}` };
  if (responses.some(isRefused)) return { outcome: 'holds', got };
  const reason =
    'The receiver did not reject an invalid signature with 4xx, so no error response could be inspected.';
  return { outcome: 'unknown', got, reason };
};

export const REFUSAL_CHECKS: readonly Check[] = [
  defineRequiredCheck('refuse.unsigned', '§5.5', {
    sends: 'an event without webhook-signature, and one with an empty webhook-signature',
    ...REFUSED,
    likely: 'the signature is verified only if present',
    fix: 'reject requests without webhook-signature',
    plan: refusal(
      withSignature(
        () => undefined,
        () => '',
      ),
    ),
  }),
  defineRequiredCheck('refuse.no-id', '§5.5', {
    sends: 'events without webhook-id, signed with an empty string or a word such as undefined instead',
    ...REFUSED,
    likely: 'undefined, None or an empty string is signed instead of the header',
    fix: 'require webhook-id before computing the signature',
    gates: UNVERIFIED,
    plan: refusal({
      variants: [
        (right) => ({ ...right, id: undefined }),
        ...ABSENT_IDS.map((id): MessageVariant => (right) => {
          return { ...right, id: undefined, signature: signVariant(right, { id }) };
        }),
      ],
    }),
  }),
  defineRequiredCheck('refuse.no-time', '§5.5', {
    sends:
      'events without webhook-timestamp, signed with the current or next second, an empty string ' +
      'or a word such as undefined instead',
    ...REFUSED,
    likely: 'a missing timestamp defaults to now',
    fix: 'require webhook-timestamp',
    gates: UNVERIFIED,
    plan: refusal({
      // The receiver can read its clock one second later.
      variants: [withSkew(0), withSkew(1), ...ABSENT_TIMES.map(withTimestamp)].map(
        (variant): MessageVariant =>
          (right) => {
            return { ...variant(right), timestamp: undefined };
          },
      ),
    }),
  }),
  defineRequiredCheck('refuse.secret', '§5.5', {
    sends: 'an event signed with a different secret',
    ...REFUSED,
    likely: 'signatures are not verified, or the result is ignored',
    fix: 'compare the signature with the expected one, and reject mismatches',
    plan: refusal(withSignature(forgeSignature)),
  }),
  defineRequiredCheck('refuse.body', '§5.5', {
    sends: 'an event with one digit of its amount changed',
    ...REFUSED,
    likely: 'the body is not part of the signed content',
    fix: 'sign `id.timestamp.body` with the raw body',
    gates: UNVERIFIED,
    plan: refusal({ variants: [(right) => ({ ...right, body: withOtherByte(right) })] }),
  }),
  defineRequiredCheck('refuse.id', '§5.5', {
    sends: 'an event whose webhook-id differs from the signed one',
    ...REFUSED,
    likely: 'the id is not part of the signed content',
    fix: 'sign `id.timestamp.body`',
    gates: UNVERIFIED,
    plan: refusal({ variants: [(right) => ({ ...right, id: `${right.id.slice(0, -4)}beef` })] }),
  }),
  defineRequiredCheck('refuse.time', '§5.5', {
    sends: 'an event whose webhook-timestamp differs from the signed one',
    ...REFUSED,
    likely: 'the timestamp is not part of the signed content',
    fix: 'sign `id.timestamp.body`',
    gates: UNVERIFIED,
    plan: refusal({
      variants: [(right) => ({ ...right, timestamp: String(Number(right.timestamp) + SMALL_SKEW_S) })],
    }),
  }),
  defineRequiredCheck('refuse.old', '§5.5', {
    sends: 'events with valid signatures from 10 min, 1 h, 1 d and 4 d ago',
    ...REFUSED,
    passes: '4xx for signatures at least 1 h old',
    likely: 'the age is not checked',
    fix: 'reject timestamps more than 300 s from now',
    plan: old,
  }),
  defineRequiredCheck('refuse.future', '§5.5', {
    sends: 'an event with a valid signature dated one hour ahead',
    ...REFUSED,
    likely: 'only past timestamps are checked',
    fix: 'compare the absolute difference from now',
    gates: NO_TOLERANCE,
    plan: refusal({ variants: [withSkew(FUTURE_S)] }),
  }),
  defineRequiredCheck('refuse.nan', '§6', {
    sends: 'events with a valid signature of a non-numeric timestamp',
    ...REFUSED,
    likely: 'comparisons with NaN are false, so the timestamp passes as recent',
    fix: 'require digits only',
    gates: NO_TOLERANCE,
    plan: refusal({ variants: [withTimestamp('soon'), withTimestamp('NaN')] }),
  }),
  defineRequiredCheck('refuse.empty', '§5.5', {
    sends: 'webhook-signature: v1,',
    ...REFUSED,
    likely: 'an empty signature equals the empty prefix of the expected one',
    fix: 'compare the lengths first',
    gates: { ...UNVERIFIED, 'refuse.prefix': 'a signature prefix is accepted' },
    crashGates: THROWS,
    plan: refusal(withSignature(() => 'v1,')),
  }),
  defineRequiredCheck('refuse.prefix', '§5.5', {
    sends: 'the first 40 of 44 signature characters',
    ...REFUSED,
    likely: 'the signature is compared with startsWith, or only up to the received length',
    fix: 'compare the full signature in constant time',
    gates: UNVERIFIED,
    crashGates: THROWS,
    plan: refusal(withSignature((right) => `v1,${computeSignature(right).slice(0, PREFIX_LENGTH)}`)),
  }),
  defineRequiredCheck('refuse.label', '§5.5', {
    sends: 'the valid signature labeled v0',
    ...REFUSED,
    likely: 'the version before the comma is ignored',
    fix: 'verify only signatures labeled v1',
    gates: UNVERIFIED,
    plan: refusal(withSignature((right) => `v0,${computeSignature(right)}`)),
  }),
  defineRecommendedCheck('refuse.garbage', 'Standard Webhooks', {
    sends: 'signatures with non-ASCII letters, one of the expected length, and one of 10 KB',
    passes: '4xx',
    likely: 'the comparison throws for unexpected lengths or characters',
    fix: 'compare lengths first, and respond 4xx if decoding fails',
    runsAlone: true,
    gates: UNVERIFIED,
    plan: garbage,
  }),
  defineRecommendedCheck('refuse.json', '§6', {
    sends: 'a non-JSON body with a valid signature, then a valid event',
    passes: '4xx, then 2xx',
    likely: 'the parser throws an uncaught error',
    fix: 'respond 400 if the body cannot be parsed',
    runsAlone: true,
    plan: json,
  }),
  defineRecommendedCheck('refuse.leak', 'Standard Webhooks', {
    sends: 'invalid signatures, and searches the responses for secrets',
    passes: 'no expected signature, no secret, no stack trace',
    likely: 'the response reveals details, or is a framework debug page',
    fix: 'respond with a short message without details, and turn off debug mode',
    plan: leak,
  }),
];
