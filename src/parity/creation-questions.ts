import { randomUUID } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';
import { formatAmount } from '../contract/money.js';
import { formatDuration, MINUTE_MS, SECOND_MS } from '../contract/time.js';
import * as resources from '../core/resources/resources.js';
import { isObject } from '../schema/object.js';
import type { FactId } from './facts.js';
import { LARGE_AMOUNT, nextFeeAmount, noteFees, readCents } from './fees.js';
import type { ParityResponse } from './normalize.js';
import { type Observer, readField } from './observer.js';
import { DOCUMENT_FIELDS, OPTIONAL_FIELDS } from './refusal-questions.js';

const CHARGES_MAX = 5;
const CHARGE_FACTS = [
  'charge.lifetime',
  'charge.qr_image',
  'charge.idempotency',
] as const satisfies readonly FactId[];

/** Creates up to five charges with different amounts, and repeats one of them (§4.1). */
export async function askCharges(observer: Observer): Promise<void> {
  const { of, notes } = observer;
  if (notes['signature.encoding'] === undefined && notes['empty digest'] === undefined) {
    return observer.giveUp('No signature is known to be accepted.', ...CHARGE_FACTS);
  }
  const isOptional = (name: string) =>
    notes['optional fields'] === 'accepted' || DOCUMENT_FIELDS.includes(name);
  const optional = Object.fromEntries(Object.entries(OPTIONAL_FIELDS).filter(([name]) => isOptional(name)));
  const create = (code: string, cents: number, name: string, fact: FactId = 'charge.idempotency') => {
    const charge = {
      code,
      account_id: of.credentials.accountId,
      amount: formatAmount(cents),
      ...optional,
    };
    return observer.ask({
      fact,
      name: `POST /pix (${name})`,
      method: 'POST',
      path: '/pix',
      body: charge,
      expects: 'creation',
      signs: {},
      sent: charge,
      schema: resources.CHARGE.whole,
    });
  };
  // A resumed probe counts the charges of its earlier runs.
  let created = Number(notes['charges'] ?? 0);
  for (
    let cents = nextFeeAmount(notes);
    cents !== undefined && created < CHARGES_MAX;
    cents = nextFeeAmount(notes)
  ) {
    const code = `parity-${randomUUID()}`;
    const name = `amount ${formatAmount(cents)}`;
    const response = await create(code, cents, name, 'charge.statuses');
    if (response.status >= 300) {
      observer.note(`refused ${cents}`, 'yes');
      if (created === 0)
        return observer.giveUp(
          `A charge of ${formatAmount(cents)} gets ${response.status}.`,
          ...CHARGE_FACTS,
        );
      continue;
    }
    created += 1;
    observer.note('charges', String(created));
    noteCharge(observer, `POST /pix (${name})`, response, cents);
    if (created > 1) continue;
    const again = await create(code, cents, 'same code');
    const other = await create(code, cents + SECOND_MS, 'same code, other amount');
    relateRepeat(observer, 'POST /pix (same code)', response, again);
    relateRepeat(observer, 'POST /pix (same code, other amount)', response, other);
    created += [again, other].filter((one) => isOtherCharge(response, one)).length;
    observer.note('charges', String(created));
  }
}

function noteCharge(observer: Observer, name: string, response: ParityResponse, cents: number): void {
  const at = (field: string) => Date.parse(String(readField(response, field)));
  const lifetimeMs = at('expires_at') - at('created_at');
  if (lifetimeMs >= 0)
    observer.note('charge.lifetime', formatDuration(Math.round(lifetimeMs / SECOND_MS) * SECOND_MS));
  const image = readField(response, 'qr_code_base64');
  observer.note('charge.qr_image', typeof image === 'string' ? 'full' : 'omit');
  // The server’s clock, for sessions, whose responses do not state when they were created.
  observer.note('server time', String(at('created_at') - response.sentMs));
  const fees = readField(response, 'fees');
  const feeOf = (field: string) => readCents(isObject(fees) ? fees[field] : undefined);
  const [provider, partner, net] = [feeOf('provider_fee'), feeOf('partner_fee'), feeOf('net_amount')];
  if (provider === undefined || partner === undefined) return observer.note(`refused ${cents}`, 'yes');
  observer.note(...noteFees({ amount: cents, provider, partner }));
  const size = cents === LARGE_AMOUNT ? ' of a large charge' : '';
  observer.relate(name, `relation of fees${size}`, `${formatAmount(provider)} and ${formatAmount(partner)}`);
  const rest = net === undefined ? undefined : cents - provider - partner;
  const relation = rest === net ? 'amount minus fees' : 'another value';
  observer.relate(name, 'relation of net_amount', rest === undefined ? undefined : relation);
}

function isOtherCharge(first: ParityResponse, next: ParityResponse): boolean {
  return next.status < 300 && readField(next, 'id') !== readField(first, 'id');
}

function relateRepeat(observer: Observer, name: string, first: ParityResponse, next: ParityResponse): void {
  if (next.status < 300)
    observer.relate(
      name,
      'relation of id',
      isOtherCharge(first, next) ? 'another charge' : 'the same charge',
    );
}

const SESSION = 'POST /kyc/sessions';
const SESSION_FACTS = ['session.lifetime', 'session.lapsed_result'] as const satisfies readonly FactId[];

/** Creates a session, repeats the request, and reads the result; or reads the result of an earlier one (§4.10). */
export async function askSessions(observer: Observer): Promise<void> {
  const pending = observer.notes['session id'];
  if (pending !== undefined) return askLapsedResult(observer, pending);
  const key = randomUUID().padEnd(LIMITS.idempotencyKeyLengthMin, '0');
  const body = { customerType: 'individual' };
  const create = (fact: FactId, name: string) =>
    observer.ask({
      fact,
      name: `${SESSION}${name}`,
      api: 'identity',
      method: 'POST',
      path: 'sessions',
      headers: { 'idempotency-key': key },
      body,
      expects: 'creation',
      sent: body,
      schema: resources.CREATED_SESSION.whole,
    });
  const created = await create('session.create', '');
  const id = readField(created, 'sessionId');
  if (created.status >= 300 || typeof id !== 'string') {
    return observer.giveUp(`A session gets ${created.status}.`, ...SESSION_FACTS);
  }
  observer.note('session id', id);
  const lifetimeMs =
    Date.parse(String(readField(created, 'expiresAt'))) - created.sentMs - readServerOffset(observer);
  if (lifetimeMs >= 0)
    observer.note('session.lifetime', formatDuration(Math.round(lifetimeMs / SECOND_MS) * SECOND_MS));
  else observer.giveUp('The session states no time at which it expires.', 'session.lifetime');
  const again = await create('session.idempotency', ' (same key)');
  observer.relate(
    `${SESSION} (same key)`,
    'relation of sessionId',
    String(readField(again, 'sessionId') === id),
  );
  // A shorter session can expire before its result is read.
  if (!(lifetimeMs < MINUTE_MS)) await readResult(observer, id, 'GET /kyc/sessions/ID/result');
}

/** Returns the difference between the server’s clock and real time, in milliseconds; small ones are latency. */
function readServerOffset({ notes }: Observer): number {
  const offset = Number(notes['server time'] ?? 0);
  return Math.abs(offset) < MINUTE_MS ? 0 : offset;
}

function readResult(observer: Observer, id: string, name: string): Promise<ParityResponse> {
  const path = `sessions/${encodeURIComponent(id)}/result`;
  return observer.ask({
    fact: 'session.result',
    name,
    api: 'identity',
    path,
    schema: resources.SESSION_RESULT.whole,
  });
}

async function askLapsedResult(observer: Observer, id: string): Promise<void> {
  const name = 'GET /kyc/sessions/ID/result (expired)';
  const response = await readResult(observer, id, name);
  observer.forget(name);
  if (response.status === 410) observer.note('session.lapsed_result', '410');
  if (response.status === 200 && readField(response, 'status') === 'expired')
    observer.note('session.lapsed_result', '200');
}
