import { randomBytes } from 'node:crypto';
import { EVENT_TYPES } from '../../contract/enums.js';
import type { Check, Plan, Sending } from '../bench.js';
import { allAccepted, forgedSignature, must, should, signedAs, withSignature } from '../bench.js';
import type { Answer } from '../check.js';
import { eventAbout } from '../orders.js';
import { differencesText, isWithin } from '../probe.js';
import { isAccepted } from '../response.js';

const LARGE_BYTES = 256 * 1024;
const SKEW_S = 240;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const UNKNOWN_TYPE = 'pix.refunded';
/** Issued since July 2026, next to documents of digits only. */
const COMPANY = { payer_name: 'Padaria Boa Vista Ltda', payer_document: '12ABC34501DE35' };
const ODD = {
  payer_name: 'Conceição Þórsdóttir 😀 \u2028',
  metadata: { note: 'São João — “R$ 10,00”', empty: '' },
};
const DECODED_IN_PIECES = {
  likely: 'each chunk of the body is decoded as text by itself, which breaks a character at its edge',
  fix: 'collect the bytes, and decode them once the body has ended',
};
const FIRST_MULTIBYTE = 0x80;
const NO_ORDER = { 'accept.two-good-first': 'two signatures are not taken in any order' };

function acceptance(sending: Sending): Plan {
  return async (bench) => allAccepted(await bench.sendEach(await bench.charge(), sending));
}

const types: Plan = async (bench) => {
  const answers: Answer[] = [];
  const refused: string[] = [];
  const { without = [] } = bench.kit.options;
  const sent = EVENT_TYPES.filter(
    (type) => !(type.startsWith('withdrawal.') && without.includes('withdrawals')),
  );
  for (const type of sent) {
    const about = type.startsWith('pix.') ? await bench.charge() : bench.kit.orders.withdrawal();
    const answer = await bench.send(bench.right(eventAbout(type, about, Date.now())));
    answers.push(answer);
    if (!isAccepted(answer)) refused.push(type);
  }
  const { outcome, got } = allAccepted(answers);
  return {
    outcome,
    sent: `one valid event of each type: ${sent.join(', ')}`,
    got: refused.length === 0 ? got : `${refused.join(', ')}: ${got}`,
  };
};

const unknownType: Plan = async (bench) => {
  const charge = await bench.charge();
  let finding = allAccepted([]);
  const effect = await bench.changesBy(charge, async () => {
    const changes = { type: UNKNOWN_TYPE, object: { status: 'REFUNDED' } };
    finding = allAccepted(await bench.sendEach(charge, { changes }));
  });
  if (finding.outcome !== 'holds' || effect === undefined) return finding;
  const { twins, after } = effect;
  const changed = effect.changed.filter(({ place }) => !isWithin(place, twins.recorded));
  // An application that does not know the charge may keep the event for later.
  const isPaid = twins.observer.differences(twins.paid, after).length === 0;
  if (changed.length === 0 || !(bench.isOrdered || isPaid)) return finding;
  return {
    ...finding,
    outcome: 'fails',
    got: `${finding.got}; the order changed: ${differencesText(changed)}`,
  };
};

/** The same JSON, written as no library writes it. */
function oddlyWritten(envelope: object): string {
  const text = JSON.stringify(envelope, null, '\t').replaceAll('": ', '" :  ').replaceAll('\n', '\r\n');
  return ` ${text.replaceAll('/', String.raw`\/`)}\n\n`;
}

const raw: Plan = async (bench) => {
  const changes = { object: ODD, write: oddlyWritten };
  const whole = await bench.sendEach(await bench.charge(), { changes });
  if (!whole.every(isAccepted)) return allAccepted(whole);
  const right = bench.right(bench.event(await bench.charge(), changes));
  const splitAt = right.body.findIndex((byte) => byte >= FIRST_MULTIBYTE) + 1;
  const split = await bench.send(right, { splitAt });
  return isAccepted(split) ? allAccepted(whole) : { ...allAccepted([split]), ...DECODED_IN_PIECES };
};

const large: Plan = async (bench) => {
  const bytes = Buffer.concat([PNG, randomBytes(LARGE_BYTES)]);
  const image = bytes.toString('base64').slice(0, LARGE_BYTES);
  const changes = { object: { qr_code_base64: image } };
  return allAccepted(await bench.sendEach(await bench.charge(), { changes }));
};

const document: Plan = async (bench) => {
  const charge = await bench.charge();
  const { twins } = bench.kit;
  const before = bench.isOrdered ? await twins?.observer.read(charge) : undefined;
  await bench.kit.orders.settle(charge);
  const finding = allAccepted(await bench.sendEach(charge, { changes: { object: COMPANY } }));
  if (finding.outcome !== 'holds') return finding;
  if (bench.isOrdered && bench.kit.options.probe !== undefined && twins === undefined)
    return {
      ...finding,
      outcome: 'gated',
      reason: 'effect.paid was not observed to hold, so whether this paid the order cannot be seen.',
      gatedBy: 'effect.paid',
    };
  if (twins === undefined || before === undefined) return finding;
  const { observer, unpaid, paid } = twins;
  const after = await observer.changed(before, charge);
  // The payer is another than the twin's, so what a payment moves need not be equal: it must have moved.
  const still = observer
    .differences(unpaid, paid)
    .filter(({ place, from }) => (after.get(place) ?? null) === from);
  if (still.length === 0) return finding;
  const places = still.map(({ place }) => (place === '' ? 'the output' : place)).join(', ');
  return { ...finding, outcome: 'fails', got: `${finding.got}; not as in a paid order: ${places}` };
};

/** What a receiver must accept. */
export const ACCEPT: readonly Check[] = [
  must('accept.types', '§6', {
    sends: 'one event of each of the five types',
    passes: '2xx for each',
    likely: 'the default of a switch over the types throws, or the secret is another',
    fix: 'acknowledge types that the application does nothing with',
    about:
      'An endpoint gets every type that it subscribed to. Respond 2xx even to events that the ' +
      'application ignores; otherwise they are retried for two days and then dead-lettered.',
    gates: { 'answer.redirect': 'what is redirected is not accepted' },
    plan: types,
  }),
  must('accept.raw', '§5.5', {
    sends: 'a body with unusual spaces, line breaks, escapes and Unicode, also split within a character',
    passes: '2xx',
    likely: 'the body is parsed and written again before the signature is verified',
    fix: 'verify the raw bytes as they came, and parse afterwards',
    about:
      'The signature covers the bytes on the wire. A framework that parses JSON first throws ' +
      'these bytes away, and the JSON that is written again has other spaces, escapes or ' +
      'letters. A body may also arrive in pieces that end within a character.',
    plan: raw,
  }),
  must('accept.two-good-first', '§5.5', {
    sends: 'two signatures, the first of them valid',
    passes: '2xx',
    likely: 'the header is compared as a whole',
    fix: 'split webhook-signature at spaces, and accept if any entry matches',
    about:
      'For 24 hours after a secret was rotated, each delivery has a signature by the new and one by the old secret.',
    plan: acceptance(withSignature((right) => `${right.signature} ${forgedSignature(right)}`)),
  }),
  must('accept.two-good-last', '§5.5', {
    sends: 'two signatures, the last of them valid',
    passes: '2xx',
    likely: 'only the first signature is looked at',
    fix: 'accept if any of the signatures matches',
    about: 'During a rotation the receiver may still have the old secret, whose signature comes last.',
    gates: NO_ORDER,
    plan: acceptance(withSignature((right) => `${forgedSignature(right)} ${right.signature}`)),
  }),
  must('accept.other-version', 'Standard Webhooks', {
    sends: 'a signature labeled v1a, then the valid one labeled v1',
    passes: '2xx',
    likely: 'a version that it does not know makes the receiver throw',
    fix: 'skip signatures of other versions',
    about:
      'Standard Webhooks allows several versions side by side, so that a new one can be ' +
      'introduced without breaking receivers.',
    gates: {
      ...NO_ORDER,
      'accept.two-good-last': 'only the first signature is looked at',
    },
    plan: acceptance(
      withSignature((right) => `v1a,${randomBytes(64).toString('base64')} ${right.signature}`),
    ),
  }),
  should('accept.skew', '§5.5', {
    sends: 'events that were signed 240 s ago, and 240 s ahead',
    passes: '2xx for both',
    likely: 'the tolerance is too small, or milliseconds are compared with seconds',
    fix: 'allow 300 s in both directions',
    about:
      'Clocks differ, and a delivery may wait in a queue. The reference receiver takes 300 s in both directions.',
    plan: acceptance({
      variants: [-SKEW_S, SKEW_S].map((skewS) => (right) => {
        const timestamp = String(Number(right.timestamp) + skewS);
        return { ...right, timestamp, signature: signedAs(right, { timestamp }) };
      }),
    }),
  }),
  should('accept.extra-field', '§9', {
    sends: 'fields that do not exist yet, in the envelope and in the object',
    passes: '2xx',
    likely: 'a strict decoder refuses unknown fields',
    fix: 'ignore unknown fields',
    about:
      'The service can add fields without a new schema_version. A decoder that refuses them stops working on that day.',
    plan: acceptance({
      changes: {
        envelope: { trace_id: 'c0ffee', links: { self: null } },
        object: { installments: 1, tags: ['new'], payer: { bank: { ispb: '00000000' } } },
      },
    }),
  }),
  should('accept.unknown-type', '§6', {
    sends: 'an event of a type that does not exist yet',
    passes: '2xx, and the order is unchanged',
    likely: 'an unknown type ends in a 500, or is taken for a known one',
    fix: 'acknowledge unknown types and do nothing',
    about: 'New types come with time. They are no reason for an error, and they must not move an order.',
    gates: { 'accept.types': 'not even the known types are accepted' },
    plan: unknownType,
  }),
  should('accept.unknown-resource', '§6 rule 2', {
    sends: 'an event about a charge that the application never made',
    passes: '2xx',
    likely: 'the order is looked up, not found, and used all the same',
    fix: 'keep the event until the charge is known, and respond 2xx',
    about:
      'An event can arrive before the response to the request that created its charge is ' +
      'stored (rule 2). It belongs to an order that will exist in a moment.',
    gates: { 'accept.types': 'no event is accepted' },
    plan: async (bench) => allAccepted(await bench.sendEach(bench.kit.orders.strangeCharge(), {})),
  }),
  should('accept.document', '§2.1', {
    sends: 'a payment by a company with the alphanumeric CNPJ 12ABC34501DE35',
    passes: '2xx, and with a probe and an order command the order is paid',
    likely: 'documents are expected to have digits only',
    fix: 'store payer_document as text, and accept letters in its first twelve characters',
    about:
      'Since July 2026 a CNPJ may contain letters. Validation by digits, or a column for ' +
      'numbers, refuses the payment of such a company.',
    gates: { 'accept.types': 'no event is accepted' },
    plan: document,
  }),
  should('accept.large', 'Standard Webhooks', {
    sends: 'a QR image of 256 KB',
    passes: '2xx',
    likely: 'the limit for bodies is too low',
    fix: 'allow bodies of at least 1 MB on this route',
    about:
      'An event carries its charge with the QR image. Many frameworks refuse bodies above 100 ' +
      'KB unless they are told otherwise.',
    plan: large,
  }),
  should('accept.chunked', 'RFC 9112 §7.1', {
    sends: 'a body in chunks, without content-length',
    passes: '2xx',
    likely: 'the body is read by its content-length, which is not there',
    fix: 'read the body until it ends',
    about:
      'A proxy may pass a request on in chunks. A receiver that reads content-length bytes then reads none.',
    plan: acceptance({ more: { isChunked: true } }),
  }),
];
