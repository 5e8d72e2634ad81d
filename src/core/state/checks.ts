import type { AgendaItem, AgendaKind } from '../agenda.js';
import { AGENDA_KINDS } from '../agenda.js';
import { AGENDA } from '../due.js';
import { LIMITS } from '../../contract/limits.js';
import type { IdentitySession } from '../identity/session.js';
import { isUndecided } from '../identity/session.js';
import { fieldsAt, must } from './read.js';
import { isDecision } from '../../contract/transitions.js';
import { attemptsEnded } from '../webhooks/deliveries.js';
import type { Account, AnnouncedEvent, Charge, Delivery, Endpoint, Withdrawal, World } from '../world.js';

// The rules for rows beyond the form of their fields; a violation is refused (INVALID_REQUEST) with its place.

export function checkCharge({ now }: World, charge: Charge, place: string): void {
  const { amountCents, providerFeeCents, partnerFeeCents, createdAt, expiresAt, status, reason } = charge;
  const check = fieldsAt(place);
  must(providerFeeCents + partnerFeeCents <= amountCents, place, 'fees that do not pass the amount');
  check('createdAt', createdAt <= now, 'an instant that has come');
  check('expiresAt', createdAt <= expiresAt, 'an instant after it was created');
  check('expiresAt', status !== 'EXPIRED' || expiresAt <= now, 'an instant that has come');
  check('reason', reason === null || status === 'FAILED', 'none without a failure');
}

export function checkWithdrawal({ now }: World, withdrawal: Withdrawal, place: string): void {
  const { amountCents, feeCents, createdAt, status, reason } = withdrawal;
  const check = fieldsAt(place);
  check('feeCents', feeCents < amountCents, 'a fee below the amount');
  check('createdAt', createdAt <= now, 'an instant that has come');
  check('reason', (reason !== null) === (status === 'FAILED'), 'one with a failure, and none without');
}

export function checkEndpoint({ now }: World, endpoint: Endpoint, place: string): void {
  const { createdAt, updatedAt, transport, connected } = endpoint;
  const check = fieldsAt(place);
  check('updatedAt', createdAt <= updatedAt && updatedAt <= now, 'an instant since it was created');
  check('connected', !connected || transport === 'listener', 'false for what is no listener');
}

/** The state that each kind of event announces. */
const ANNOUNCED = {
  'pix.settled': 'SETTLED',
  'pix.failed': 'FAILED',
  'pix.expired': 'EXPIRED',
  'withdrawal.settled': 'SETTLED',
  'withdrawal.failed': 'FAILED',
} as const;

export function checkEvent(world: World, event: AnnouncedEvent, place: string): void {
  const { at, type, resource } = event;
  const table = 'pixKey' in resource ? world.withdrawals : world.charges;
  const row = table.byId.get(resource.id);
  const where = `${place}.resource`;
  must(at <= world.now, `${place}.at`, 'an instant that has come');
  must(row !== undefined && isSame(row, resource), where, 'what the row of its id was');
  must(resource.status === ANNOUNCED[type], `${where}.status`, ANNOUNCED[type]);
}

function isSame(row: Charge | Withdrawal, copy: Charge | Withdrawal): boolean {
  return (
    row.ordinal === copy.ordinal &&
    row.appId === copy.appId &&
    row.accountId === copy.accountId &&
    row.code === copy.code &&
    row.amountCents === copy.amountCents
  );
}

export function checkDelivery(world: World, delivery: Delivery, place: string): void {
  const { status, inFlight, attempts, attemptLimit, nextAttemptAt, event, endpointId } = delivery;
  const { createdAt, lastAttemptAt, deliveredAt, faults } = delivery;
  const check = fieldsAt(place);
  const isPending = status === 'PENDING';
  const endpoint = world.endpoints.get(endpointId);
  const isServed = endpoint === undefined || endpoint.appId === event.resource.appId;
  check('endpointId', isServed, "an endpoint of the event's application");
  check('endpointId', !isPending || endpoint?.status === 'ACTIVE', 'an active endpoint while it is PENDING');
  check('inFlight', isPending || !inFlight, `false while it is ${status}`);
  const isDue = isPending && !inFlight;
  check('nextAttemptAt', (nextAttemptAt !== null) === isDue, 'one while it waits, else null');
  check('attempts', attempts <= attemptLimit - (isDue ? 1 : 0), `at most ${attemptLimit}, none left over`);
  check('attempts', attempts > 0 || !(inFlight || status === 'DELIVERED'), `one while it is ${status}`);
  check('deliveredAt', (deliveredAt !== null) === (status === 'DELIVERED'), 'one when DELIVERED');
  check('lastAttemptAt', (lastAttemptAt !== null) === attempts > 0, 'one after an attempt');
  check('faults', inFlight || faults.length === 0, 'none without an attempt in flight');
  const latest = Math.max(createdAt, lastAttemptAt ?? 0, deliveredAt ?? 0);
  must(latest <= world.now, place, 'instants that have come');
  checkLog(delivery, world.now, `${place}.log`);
}

function checkLog(delivery: Delivery, now: number, place: string): void {
  const { log } = delivery;
  const ended = attemptsEnded(delivery);
  must(log.length <= LIMITS.attemptsKept, place, `at most ${LIMITS.attemptsKept} attempts`);
  let before = 0;
  for (const [index, { number, startedAt }] of log.entries()) {
    const check = fieldsAt(`${place}[${index}]`);
    check('number', number > before && number <= ended, 'attempts in order that have ended');
    check('startedAt', startedAt <= now, 'an instant that has come');
    before = number;
  }
}

export function checkSession({ now }: World, session: IdentitySession, place: string): void {
  const { status, decidedAt, readableAt, createdAt, expiresAt, euid, error } = session;
  const check = fieldsAt(place);
  check('createdAt', createdAt <= now && createdAt <= expiresAt, 'an instant that has come');
  check('readableAt', (decidedAt === null) === (readableAt === null), 'one with a decision');
  if (decidedAt === null || readableAt === null) {
    check('decidedAt', !isDecision(status) || status === 'expired', `one when it is ${status}`);
  } else {
    check('decidedAt', isDecision(status), `null while it is ${status}`);
    check('decidedAt', decidedAt <= now && decidedAt <= readableAt, 'an instant that has come');
  }
  check('euid', (euid !== null) === (status === 'approved'), 'one when it is approved');
  check('error', error === null || isUndecided(session), `null when it is ${status}`);
}

/** Refuses an agenda entry for a row that is not due then. */
export function checkDue(
  world: World,
  kind: AgendaKind,
  { at, ordinal }: Omit<AgendaItem, 'kind'>,
  place: string,
): void {
  const dueAt = AGENDA[kind].dueAt(world, ordinal);
  must(dueAt !== null, place, `something that falls due; ${kind} of row ${ordinal} does not`);
  must(dueAt === at, `${place}.at`, `${dueAt}, as its row says; got ${at}`);
}

/** Refuses an agenda with a missing entry. */
export function* checkingAgendaWhole(world: World): Generator<void, void> {
  const kinds = AGENDA_KINDS.length;
  const due = new Set(world.agenda.map(({ kind, ordinal }) => ordinal * kinds + kind));
  for (const [kind, name] of AGENDA_KINDS.entries()) {
    const { table, dueAt } = AGENDA[name];
    for (const { ordinal } of world[table].rows) {
      const isThere = dueAt(world, ordinal) === null || due.has(ordinal * kinds + kind);
      must(isThere, 'agenda', `${name} of row ${ordinal}, which falls due`);
      yield;
    }
  }
}

/** Refuses a ledger with the wrong number of lines, or whose lines do not add up to the balance; a step for each line. */
export function* checkingLedger(world: World, account: Account, place: string): Generator<void, void> {
  let sum = 0n;
  let before = -1;
  for (const [index, line] of account.transactions.entries()) {
    const check = fieldsAt(`${place}.transactions[${index}]`);
    const { ordinal, direction, amountCents, createdAt } = line;
    const isNext = ordinal > before && ordinal < world.transactionCount;
    check('ordinal', isNext, 'one in order, below transactionCount');
    check('createdAt', createdAt <= world.now, 'an instant that has come');
    sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    before = ordinal;
    yield;
  }
  const { balanceCents } = account;
  const expected = `${sum}, to which its transactions add up; got ${balanceCents}`;
  must(sum === balanceCents, `${place}.balanceCents`, expected);
}
