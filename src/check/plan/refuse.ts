import type { Bench, Plan, Right, Sending, Variant } from '../bench.js';
import { otherSecret, sendEach, signedAs } from '../bench.js';
import type { Answer } from '../check.js';
import type { Finding } from '../judge.js';
import { eventAbout } from '../orders.js';
import { differencesText } from '../probe.js';
import { signatureOf } from '../send.js';
import { leak } from './leak.js';
import { answersText, isAccepted, isRefused, isTimeout } from '../response.js';

const FUTURE_S = 3_600;
/** Within every tolerance, so that only the signature can be wrong. */
const SMALL_SKEW_S = 10;
/** The base64 of a SHA-256. */
const SIGNATURE_LENGTH = 44;
/** How much of it a cut one keeps: whole groups of base64. */
const PREFIX_LENGTH = 40;
const LONG_BYTES = 10 * 1024;
/** What a receiver may sign in place of a header that is not there. */
const ABSENT = ['', 'undefined', 'null', 'None', 'nil', '<nil>'];

const IGNORED = {
  isApplied: false,
  likely: 'the handler drops a forgery, and responds to it as to a valid event',
  fix: 'respond 401 or 400, so that the sender notices',
};

/** Forgeries, each of which differs in one respect from an event that was accepted just before: all are refused with 4xx, and nothing changes. */
function refusal(sent: string, sending: Sending): Plan {
  return async (bench) => (await forge(bench, sent, sending)).finding;
}

interface Forged {
  readonly finding: Finding;
  readonly answers: readonly Answer[];
}

/** Sends forgeries, and judges the responses and their effect. */
async function forge(bench: Bench, sent: string, sending: Sending): Promise<Forged> {
  await bench.control();
  const charge = await bench.charge();
  const { twins } = bench.kit;
  const before = await twins?.observer.read(charge);
  const answers = await sendEach(bench, charge, sending);
  const finding = refusedOrCrashed(sent, answers);
  if (twins === undefined || before === undefined) return { finding, answers };
  const changed = twins.observer.differences(before, await twins.observer.settled(charge));
  if (changed.length > 0) {
    const got = `${finding.got}; the order changed: ${differencesText(changed)}`;
    return { finding: { sent, outcome: 'fails', got, isApplied: true }, answers };
  }
  const accepted = answers.find(isAccepted);
  if (accepted === undefined) return { finding, answers };
  const got = `${finding.got}; it responds ${accepted.status} to a forgery but does not apply it`;
  return { finding: { ...finding, ...IGNORED, got }, answers };
}

function allRefused(sent: string, answers: readonly Answer[]): Finding {
  const others = answers.filter((answer) => !isRefused(answer));
  const got = answersText(others.length > 0 ? others : answers);
  return { outcome: others.length > 0 ? 'fails' : 'holds', sent, got };
}

/** The same, where it says by which mistake a receiver crashed rather than what it believes. */
function refusedOrCrashed(sent: string, answers: readonly Answer[]): Finding {
  const finding = allRefused(sent, answers);
  const others = answers.filter((answer) => !isRefused(answer));
  if (others.length === 0 || !others.every(isCrash)) return finding;
  return { ...finding, got: `${finding.got}; not accepted, but it crashed`, hasCrashed: true };
}

function isCrash(answer: Answer): boolean {
  return answer.status === null ? !isTimeout(answer) : answer.status >= 500;
}

function at(timestamp: string): Variant {
  return (right) => ({ ...right, timestamp, signature: signedAs(right, { timestamp }) });
}

function later(seconds: number): Variant {
  return (right) => at(String(Number(right.timestamp) + seconds))(right);
}

/** One digit of the amount is another: `100.00` becomes `900.00`. */
function withOtherByte({ body }: Right): Uint8Array {
  const changed = Buffer.from(body);
  const digit = changed.indexOf('"amount":"') + '"amount":"'.length;
  changed[digit] = changed[digit] === 0x39 ? 0x38 : 0x39;
  return changed;
}

const withoutTime: readonly Variant[] = [
  (right) => ({ ...right, timestamp: undefined }),
  // The second in which the receiver looks at its clock may be the next one.
  (right) => ({ ...later(1)(right), timestamp: undefined }),
  ...['', '0', 'NaN', 'undefined', 'null', 'None'].map((timestamp): Variant => {
    return (right) => ({ ...right, timestamp: undefined, signature: signedAs(right, { timestamp }) });
  }),
];

const GARBAGE = 'webhook-signature: letters that are not ASCII, also 44 of them, and 10 KB';
const garbage: Plan = async (bench) => {
  await bench.control();
  const texts = [
    `v1,${Buffer.from('ação ✓ 署名').toString('latin1')}`,
    `v1,${'A'.repeat(LONG_BYTES)}`,
    `v1,${'é'.repeat(SIGNATURE_LENGTH)}`,
    Buffer.from('v1,￿ é').toString('latin1'),
  ];
  const variants = texts.map((signature): Variant => (right) => ({ ...right, signature }));
  const answers = await sendEach(bench, await bench.charge(), { variants });
  return allRefused(GARBAGE, answers);
};

const json: Plan = async (bench) => {
  await bench.control();
  const sent = 'a body that is not JSON with a valid signature; then a valid event';
  const charge = await bench.charge();
  const answers = await sendEach(bench, charge, { changes: { write: () => 'This is not JSON.' } });
  const finding = allRefused(sent, answers);
  const alive = await bench.send(bench.right(eventAbout('pix.settled', charge, Date.now())));
  if (isAccepted(alive)) return finding;
  return { outcome: 'fails', sent, got: `${finding.got}; then to a valid event ${answersText([alive])}` };
};

/** Ages of a signature that are tried, and their words; the contract leaves the tolerance open (§5.5), so an hour is too much. */
const TOLERABLE_AGE: Age = [600, '10 min'];
const AGES: readonly Age[] = [
  [3_600, '1 h'],
  [86_400, '1 d'],
  [4 * 86_400, '4 d'],
];
type Age = readonly [seconds: number, words: string];

const TOO_TOLERANT = {
  likely: 'the tolerance is too large, or is compared in another unit',
  fix: 'refuse a timestamp more than 300 s from now',
};

const old: Plan = async (bench) => {
  const words = [TOLERABLE_AGE, ...AGES].map(([, age]) => age);
  const sent = `a pix.settled with valid signatures of ${words.slice(1).join(', ')} ago, and another of ${words[0]} ago`;
  const { finding, answers } = await forge(bench, sent, { variants: AGES.map(([age]) => later(-age)) });
  const recent = await sendEach(bench, await bench.charge(), { variants: [later(-TOLERABLE_AGE[0])] });
  const oldest = [...recent, ...answers].findLastIndex(isAccepted);
  if (oldest < 0) return finding;
  const next = words[oldest + 1];
  const range = next === undefined ? `at least ${words[oldest]}` : `between ${words[oldest]} and ${next}`;
  const got = `${finding.got}; accepts signatures up to ${range} old`;
  const isBounded = finding.outcome === 'fails' && next !== undefined;
  return { ...(isBounded ? TOO_TOLERANT : {}), ...finding, got };
};

export const REFUSE: Readonly<Record<string, Plan>> = {
  'refuse.unsigned': refusal('a pix.settled without webhook-signature, and one where it is empty', {
    variants: [undefined, ''].map((signature): Variant => (right) => ({ ...right, signature })),
  }),
  'refuse.no-id': refusal(
    'a pix.settled without webhook-id, signed as if there were one, none, or a word for none',
    {
      variants: [
        (right) => ({ ...right, id: undefined }),
        ...ABSENT.map((id): Variant => (right) => ({
          ...right,
          id: undefined,
          signature: signedAs(right, { id }),
        })),
      ],
    },
  ),
  'refuse.no-time': refusal(
    'a pix.settled without webhook-timestamp, signed as of now, the next second, without one, or with a word for none',
    {
      variants: withoutTime,
    },
  ),
  'refuse.secret': refusal('a pix.settled signed with another secret', {
    variants: [(right) => ({ ...right, signature: signedAs(right, { secret: otherSecret() }) })],
  }),
  'refuse.body': refusal('a pix.settled with one digit of the amount changed after it was signed', {
    variants: [(right) => ({ ...right, body: withOtherByte(right) })],
  }),
  'refuse.id': refusal('a pix.settled with a webhook-id other than the signed one', {
    variants: [(right) => ({ ...right, id: `${right.id.slice(0, -4)}beef` })],
  }),
  'refuse.time': refusal(`a pix.settled with webhook-timestamp ${SMALL_SKEW_S} s after the signed one`, {
    variants: [(right) => ({ ...right, timestamp: String(Number(right.timestamp) + SMALL_SKEW_S) })],
  }),
  'refuse.old': old,
  'refuse.future': refusal('a pix.settled with a valid signature for an hour ahead', {
    variants: [later(FUTURE_S)],
  }),
  'refuse.nan': refusal('a pix.settled with a valid signature of webhook-timestamp: soon, and NaN', {
    variants: [at('soon'), at('NaN')],
  }),
  'refuse.empty': refusal('a pix.settled with webhook-signature: v1,', {
    variants: [(right) => ({ ...right, signature: 'v1,' })],
  }),
  'refuse.prefix': refusal(
    `a pix.settled with the first ${PREFIX_LENGTH} of the ${SIGNATURE_LENGTH} characters of its signature`,
    {
      variants: [(right) => ({ ...right, signature: `v1,${signatureOf(right).slice(0, PREFIX_LENGTH)}` })],
    },
  ),
  'refuse.label': refusal('a pix.settled with the valid signature labeled v0', {
    variants: [(right) => ({ ...right, signature: `v0,${signatureOf(right)}` })],
  }),
  'refuse.garbage': garbage,
  'refuse.json': json,
  'refuse.leak': leak,
};
