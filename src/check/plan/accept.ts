import { randomBytes } from 'node:crypto';
import { EVENT_TYPES } from '../../contract/events.js';
import type { Bench, Plan, Sending } from '../bench.js';
import { allAccepted, otherSecret, sendEach, signedAs } from '../bench.js';
import type { Answer } from '../check.js';
import type { Paid } from '../orders.js';
import { eventAbout } from '../orders.js';
import { differencesText, isWithin } from '../probe.js';
import { answersText, isAccepted } from '../response.js';

const LARGE_BYTES = 256 * 1024;
const SKEW_S = 240;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function acceptance(sent: string, sending: Sending): Plan {
  return async (bench) => allAccepted(sent, await sendEach(bench, await bench.charge(), sending));
}

const types: Plan = async (bench) => {
  const answers: Answer[] = [];
  const refused: string[] = [];
  const { without = [] } = bench.kit.options;
  const sentTypes = EVENT_TYPES.filter(
    (type) => !(type.startsWith('withdrawal.') && without.includes('withdrawals')),
  );
  for (const type of sentTypes) {
    const about = type.startsWith('pix.') ? await bench.charge() : bench.kit.orders.withdrawal();
    const answer = await bench.send(bench.right(eventAbout(type, about, Date.now())));
    answers.push(answer);
    if (!isAccepted(answer)) refused.push(type);
  }
  const finding = allAccepted(`one valid event of each type: ${sentTypes.join(', ')}`, answers);
  return refused.length === 0 ? finding : { ...finding, got: `${refused.join(', ')}: ${finding.got}` };
};

const UNKNOWN_TYPE = 'pix.refunded';

const unknownType: Plan = async (bench) => {
  const sent = `a valid event of the type ${UNKNOWN_TYPE}, which does not exist yet`;
  const { twins } = bench.kit;
  const charge = await bench.charge();
  const before = await twins?.observer.read(charge);
  const changes = { type: UNKNOWN_TYPE, object: { status: 'REFUNDED' } };
  const answers = await sendEach(bench, charge, { changes });
  const finding = allAccepted(sent, answers);
  if (finding.outcome !== 'holds' || twins === undefined || before === undefined) return finding;
  const after = await twins.observer.settled(charge);
  const changed = twins.observer
    .differences(before, after)
    .filter(({ place }) => !isWithin(place, twins.recorded));
  // An application that does not know the charge may keep the event for later.
  const isPaid = twins.observer.differences(twins.paid, after).length === 0;
  if (changed.length === 0 || !(bench.isOrdered || isPaid)) return finding;
  const got = `${finding.got}; the order changed: ${differencesText(changed)}`;
  return { ...finding, outcome: 'fails', got };
};

/** The same JSON, written as no library writes it. */
function oddlyWritten(envelope: object): string {
  const text = JSON.stringify(envelope, null, '\t').replaceAll('": ', '" :  ').replaceAll('\n', '\r\n');
  return ` ${text.replaceAll('/', String.raw`\/`)}\n\n`;
}

const ODD = {
  payer_name: 'Conceição Þórsdóttir 😀 \u2028',
  metadata: { note: 'São João — “R$ 10,00”', empty: '' },
};

const DECODED_IN_PIECES = {
  likely: 'each chunk of the body is decoded as text by itself, which breaks a character at its edge',
  fix: 'collect the bytes, and decode them once the body has ended',
};
const FIRST_MULTIBYTE = 0x80;

const raw: Plan = async (bench) => {
  const sent =
    'a valid pix.settled with unusual spaces, line breaks, escapes and letters in its JSON; then one in two writes, split within a character';
  const changes = { object: ODD, write: oddlyWritten };
  const whole = await sendEach(bench, await bench.charge(), { changes });
  if (!whole.every(isAccepted)) return allAccepted(sent, whole);
  const right = bench.right(eventAbout('pix.settled', await bench.charge(), Date.now(), changes));
  const splitAt = right.body.findIndex((byte) => byte >= FIRST_MULTIBYTE) + 1;
  const split = await bench.send(right, { splitAt });
  if (isAccepted(split)) return allAccepted(sent, whole);
  return { ...allAccepted(sent, [split]), ...DECODED_IN_PIECES };
};

const large: Plan = async (bench) => {
  const image = Buffer.concat([PNG, randomBytes(LARGE_BYTES)])
    .toString('base64')
    .slice(0, LARGE_BYTES);
  const sent = 'a valid pix.settled whose QR image has 256 KB';
  return allAccepted(
    sent,
    await sendEach(bench, await bench.charge(), { changes: { object: { qr_code_base64: image } } }),
  );
};

/** Issued since July 2026, next to documents of digits only. */
const COMPANY = { payer_name: 'Padaria Boa Vista Ltda', payer_document: '12ABC34501DE35' };

const document: Plan = async (bench) => {
  const sent = `a valid pix.settled whose payer has the alphanumeric CNPJ ${COMPANY.payer_document}`;
  const charge = await bench.charge();
  const { twins } = bench.kit;
  const before = bench.isOrdered ? await twins?.observer.read(charge) : undefined;
  await bench.kit.orders.settle(charge);
  const finding = allAccepted(sent, await sendEach(bench, charge, { changes: { object: COMPANY } }));
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

async function strange(bench: Bench): Promise<readonly [Paid, Answer]> {
  const charge = bench.kit.orders.strangeCharge();
  return [charge, await bench.send(bench.right(eventAbout('pix.settled', charge, Date.now())))];
}

export const ACCEPT: Readonly<Record<string, Plan>> = {
  'accept.types': types,
  'accept.raw': raw,
  'accept.two-good-first': acceptance('webhook-signature: the valid one, then one by another secret', {
    variants: [
      (right) => ({
        ...right,
        signature: `${right.signature} ${signedAs(right, { secret: otherSecret() })}`,
      }),
    ],
  }),
  'accept.two-good-last': acceptance('webhook-signature: one by another secret, then the valid one', {
    variants: [
      (right) => ({
        ...right,
        signature: `${signedAs(right, { secret: otherSecret() })} ${right.signature}`,
      }),
    ],
  }),
  'accept.other-version': acceptance('webhook-signature: one labeled v1a, then the valid one labeled v1', {
    variants: [
      (right) => ({ ...right, signature: `v1a,${randomBytes(64).toString('base64')} ${right.signature}` }),
    ],
  }),
  'accept.skew': acceptance(`valid events signed ${SKEW_S} s ago, and ${SKEW_S} s ahead`, {
    variants: [-SKEW_S, SKEW_S].map((skewS) => (right) => {
      const timestamp = String(Number(right.timestamp) + skewS);
      return { ...right, timestamp, signature: signedAs(right, { timestamp }) };
    }),
  }),
  'accept.extra-field': acceptance('a valid pix.settled with fields that do not exist yet', {
    changes: {
      envelope: { trace_id: 'c0ffee', links: { self: null } },
      object: { installments: 1, tags: ['new'], payer: { bank: { ispb: '00000000' } } },
    },
  }),
  'accept.unknown-type': unknownType,
  'accept.unknown-resource': async (bench) => {
    const [, answer] = await strange(bench);
    const sent = 'a valid pix.settled of a charge that the application never made';
    return { outcome: isAccepted(answer) ? 'holds' : 'fails', sent, got: answersText([answer]) };
  },
  'accept.document': document,
  'accept.large': large,
  'accept.chunked': acceptance('a valid pix.settled in chunks, without content-length', {
    more: { isChunked: true },
  }),
};
