import type { AgendaItem, AgendaKind } from '../agenda.js';
import { AGENDA_KINDS } from '../agenda.js';
import { AGENDA } from '../due.js';
import { LIMITS } from '../../contract/limits.js';
import type { IdentitySession } from '../identity/session.js';
import { isUndecided } from '../identity/session.js';
import { must } from './read.js';
import { isDecision } from '../../contract/transitions.js';
import { idFor } from '../ids.js';
import type { Account, AnnouncedEvent, Charge, Delivery, Endpoint, Withdrawal, World } from '../world.js';

// The rules for rows beyond the form of their fields; a violation is refused (INVALID_REQUEST) with its place.

export function checkCharge({ now }: World, charge: Charge, place: string): void {
  const { amountCents, providerFeeCents, partnerFeeCents, createdAt, expiresAt, status, reason } = charge;
  must(providerFeeCents + partnerFeeCents <= amountCents, place, 'fees that do not pass the amount');
  must(createdAt <= now, `${place}.createdAt`, 'an instant that has come');
  must(createdAt <= expiresAt, `${place}.expiresAt`, 'an instant after it was created');
  must(status !== 'EXPIRED' || expiresAt <= now, `${place}.expiresAt`, 'an instant that has come');
  must(reason === null || status === 'FAILED', `${place}.reason`, 'none without a failure');
}

export function checkWithdrawal({ now }: World, withdrawal: Withdrawal, place: string): void {
  const { amountCents, feeCents, createdAt, status, reason } = withdrawal;
  must(feeCents < amountCents, `${place}.feeCents`, 'a fee below the amount');
  must(createdAt <= now, `${place}.createdAt`, 'an instant that has come');
  must(
    (reason !== null) === (status === 'FAILED'),
    `${place}.reason`,
    'one with a failure, and none without',
  );
}

export function checkEndpoint({ now }: World, endpoint: Endpoint, place: string): void {
  const { createdAt, updatedAt, transport, connected } = endpoint;
  must(createdAt <= updatedAt && updatedAt <= now, `${place}.updatedAt`, 'an instant since it was created');
  must(!connected || transport === 'listener', `${place}.connected`, 'false for what is no listener');
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
  const isPending = status === 'PENDING';
  const endpoint = world.endpoints.get(endpointId);
  const isServed = endpoint === undefined || endpoint.appId === event.resource.appId;
  must(isServed, `${place}.endpointId`, "an endpoint of the event's application");
  must(
    !isPending || endpoint?.status === 'ACTIVE',
    `${place}.endpointId`,
    'an active endpoint while it is PENDING',
  );
  must(isPending || !inFlight, `${place}.inFlight`, `false while it is ${status}`);
  const isDue = isPending && !inFlight;
  must((nextAttemptAt !== null) === isDue, `${place}.nextAttemptAt`, 'one while it waits, else null');
  must(
    attempts <= attemptLimit - (isDue ? 1 : 0),
    `${place}.attempts`,
    `at most ${attemptLimit}, none left over`,
  );
  must(
    attempts > 0 || !(inFlight || status === 'DELIVERED'),
    `${place}.attempts`,
    `one while it is ${status}`,
  );
  must(
    (delivery.deliveredAt !== null) === (status === 'DELIVERED'),
    `${place}.deliveredAt`,
    'one when DELIVERED',
  );
  must((delivery.lastAttemptAt !== null) === attempts > 0, `${place}.lastAttemptAt`, 'one after an attempt');
  must(inFlight || delivery.faults.length === 0, `${place}.faults`, 'none without an attempt in flight');
  const { now } = world;
  const instants = [delivery.createdAt, delivery.lastAttemptAt, delivery.deliveredAt];
  must(
    instants.every((at) => (at ?? 0) <= now),
    place,
    'instants that have come',
  );
  checkLog(delivery, now, `${place}.log`);
}

function checkLog({ log, attempts }: Delivery, now: number, place: string): void {
  must(log.length <= LIMITS.attemptsKept, place, `at most ${LIMITS.attemptsKept} attempts`);
  let before = 0;
  for (const [index, { number, startedAt }] of log.entries()) {
    must(
      number > before && number <= attempts,
      `${place}[${index}].number`,
      'attempts in order that were made',
    );
    must(startedAt <= now, `${place}[${index}].startedAt`, 'an instant that has come');
    before = number;
  }
}

export function checkSession({ now }: World, session: IdentitySession, place: string): void {
  const { status, decidedAt, readableAt, createdAt, expiresAt, euid, error } = session;
  must(createdAt <= now && createdAt <= expiresAt, `${place}.createdAt`, 'an instant that has come');
  must((decidedAt === null) === (readableAt === null), `${place}.readableAt`, 'one with a decision');
  if (decidedAt === null || readableAt === null) {
    must(!isDecision(status) || status === 'expired', `${place}.decidedAt`, `one when it is ${status}`);
  } else {
    must(isDecision(status), `${place}.decidedAt`, `null while it is ${status}`);
    must(decidedAt <= now && decidedAt <= readableAt, `${place}.decidedAt`, 'an instant that has come');
  }
  must((euid !== null) === (status === 'approved'), `${place}.euid`, 'one when it is approved');
  must(error === null || isUndecided(session), `${place}.error`, `null when it is ${status}`);
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
export function checkAgendaWhole(world: World): void {
  const kinds = AGENDA_KINDS.length;
  const due = new Set(world.agenda.map(({ kind, ordinal }) => ordinal * kinds + kind));
  for (const [kind, name] of AGENDA_KINDS.entries()) {
    const { table, dueAt } = AGENDA[name];
    for (let ordinal = 0; ordinal < world[table].rows.length; ordinal += 1) {
      const isThere = dueAt(world, ordinal) === null || due.has(ordinal * kinds + kind);
      must(isThere, 'agenda', `${name} of row ${ordinal}, which falls due`);
    }
  }
}

/** Refuses a ledger with the wrong number of lines, or whose lines do not add up to the balance. */
export function checkLedger(world: World, account: Account, place: string): void {
  let sum = 0n;
  let before = -1;
  for (const [index, line] of account.transactions.entries()) {
    const where = `${place}.transactions[${index}]`;
    const { ordinal, id, direction, amountCents, createdAt } = line;
    must(
      ordinal > before && ordinal < world.transactionCount,
      `${where}.ordinal`,
      'one in order, below transactionCount',
    );
    must(id === idFor(world, 'transaction', ordinal), `${where}.id`, 'what follows from seed and ordinal');
    must(createdAt <= world.now, `${where}.createdAt`, 'an instant that has come');
    sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
    before = ordinal;
  }
  const { balanceCents } = account;
  must(
    sum === balanceCents,
    `${place}.balanceCents`,
    `${sum}, to which its transactions add up; got ${balanceCents}`,
  );
}
