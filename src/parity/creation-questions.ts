import { randomUUID } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';
import { formatAmount } from '../contract/money.js';
import { formatDuration, MINUTE_MS, SECOND_MS } from '../contract/time.js';
import * as resources from '../core/resources/resources.js';
import { isObject } from '../schema/object.js';
import type { FactId } from './facts.js';
import { LARGE_AMOUNT, nextFeeAmount, noteFees, readCents } from './fees.js';
import { RequestNotAllowed } from './implementation.js';
import type { ParityResponse } from './normalize.js';
import { encodeText, type Observer, readField, readInstant } from './observer.js';
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
  const create = async (
    code: string,
    cents: number,
    name: string,
    fact: FactId = 'charge.idempotency',
    first?: ParityResponse,
  ) => {
    const created = readCount(notes);
    if (created >= CHARGES_MAX)
      throw new RequestNotAllowed(`The limit of ${CHARGES_MAX} charges was reached.`);
    const noteCount = (isCreated: boolean) => observer.note('charges', String(created + Number(isCreated)));
    const charge = {
      code,
      account_id: of.credentials.accountId,
      amount: formatAmount(cents),
      ...optional,
    };
    const response = await observer.ask({
      fact,
      name: `POST /pix (${name})`,
      method: 'POST',
      path: '/pix',
      body: charge,
      expects: 'creation',
      signs: {},
      sent: charge,
      schema: resources.CHARGE.whole,
      // Also counts a charge whose response is lost.
      onSend: () => noteCount(true),
    });
    noteCount(response.status < 300 ? isOtherCharge(first, response) : response.status >= 500);
    return response;
  };
  for (
    let cents = nextFeeAmount(notes);
    cents !== undefined && readCount(notes) < CHARGES_MAX;
    cents = nextFeeAmount(notes)
  ) {
    const code = `parity-${randomUUID()}`;
    const name = `amount ${formatAmount(cents)}`;
    const response = await create(code, cents, name, 'charge.statuses');
    if (response.status >= 300) {
      observer.note(`refused ${cents}`, 'yes');
      if (notes['charge.qr_image'] === undefined)
        return observer.giveUp(
          `A charge of ${formatAmount(cents)} gets ${response.status}.`,
          ...CHARGE_FACTS,
        );
      continue;
    }
    noteCharge(observer, `POST /pix (${name})`, response, cents);
    if (notes['repeated'] !== undefined) continue;
    const again = await create(code, cents, 'same code', 'charge.idempotency', response);
    const other = await create(
      code,
      cents + SECOND_MS,
      'same code, other amount',
      'charge.idempotency',
      response,
    );
    relateRepeat(observer, 'POST /pix (same code)', response, again);
    relateRepeat(observer, 'POST /pix (same code, other amount)', response, other);
    observer.note('repeated', 'yes');
  }
}

function noteCharge(observer: Observer, name: string, response: ParityResponse, cents: number): void {
  const at = (field: string) => readInstant(readField(response, field));
  const lifetimeMs = at('expires_at') - at('created_at');
  if (lifetimeMs >= 0) {
    observer.note('charge.lifetime', formatDuration(Math.round(lifetimeMs / SECOND_MS) * SECOND_MS));
    // The server’s clock, for sessions, whose responses do not state when they were created.
    observer.note('server time', String(at('created_at') - response.sentMs));
  }
  const image = readField(response, 'qr_code_base64');
  observer.note('charge.qr_image', typeof image === 'string' ? 'full' : 'omit');
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

/** Counts the charges of this run and of the earlier runs that it resumes. */
function readCount(notes: Observer['notes']): number {
  return Number(notes['charges'] ?? 0);
}

function isOtherCharge(first: ParityResponse | undefined, next: ParityResponse): boolean {
  return first === undefined || readField(next, 'id') !== readField(first, 'id');
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
const REPEATED_SESSION = `${SESSION} (same key)`;
const SESSION_FACTS = ['session.lifetime', 'session.lapsed_result'] as const satisfies readonly FactId[];

/** Creates a session, repeats the request, and reads the result; or reads the result of an earlier one (§4.10). */
export async function askSessions(observer: Observer): Promise<void> {
  const { 'session id': pending, 'session key': usedKey } = observer.notes;
  if (pending !== undefined && usedKey === undefined) return askLapsedResult(observer, pending);
  // A resumed run repeats the request of the interrupted one, so that there is only one session.
  const key = usedKey ?? randomUUID().padEnd(LIMITS.idempotencyKeyLengthMin, '0');
  const body = { customerType: 'individual' };
  const create = (isRepeat: boolean) =>
    observer.ask({
      fact: isRepeat ? 'session.idempotency' : 'session.create',
      name: isRepeat ? REPEATED_SESSION : SESSION,
      api: 'identity',
      method: 'POST',
      path: 'sessions',
      headers: { 'idempotency-key': key },
      body,
      expects: 'creation',
      sent: body,
      schema: resources.CREATED_SESSION.whole,
      onSend: () => observer.note('session key', key),
    });
  const created = await create(usedKey !== undefined);
  const id = readField(created, 'sessionId');
  if (created.status >= 300 || typeof id !== 'string') {
    return observer.giveUp(`A session gets ${created.status}.`, ...SESSION_FACTS);
  }
  observer.note('session id', id);
  const lifetimeMs =
    readInstant(readField(created, 'expiresAt')) - created.sentMs - readServerOffset(observer);
  if (usedKey !== undefined) observer.giveUp('The response to the creation was lost.', 'session.lifetime');
  else if (observer.notes['future item'] !== undefined && observer.notes['server time'] === undefined)
    observer.giveUp('The server’s clock is ahead of real time; also pass --charges.', 'session.lifetime');
  else if (lifetimeMs >= 0)
    observer.note('session.lifetime', formatDuration(Math.round(lifetimeMs / SECOND_MS) * SECOND_MS));
  else observer.giveUp('The session states no time at which it expires.', 'session.lifetime');
  const again = await create(true);
  observer.relate(REPEATED_SESSION, 'relation of sessionId', String(readField(again, 'sessionId') === id));
  // A shorter session can expire before its result is read.
  if (!(lifetimeMs < MINUTE_MS)) await readResult(observer, id, 'GET /kyc/sessions/ID/result');
}

/** Returns the difference between the server’s clock and real time, in milliseconds; small ones are latency. */
function readServerOffset({ notes }: Observer): number {
  const offset = Number(notes['server time'] ?? 0);
  return Math.abs(offset) < MINUTE_MS ? 0 : offset;
}

function readResult(observer: Observer, id: string, name: string): Promise<ParityResponse> {
  const path = `sessions/${encodeText(id)}/result`;
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
