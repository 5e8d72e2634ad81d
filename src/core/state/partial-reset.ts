import { OPENING_BALANCE_CODE } from '../payments/ledger.js';
import { AGENDA } from '../due.js';
import type { WorldExport } from './export.js';
import { exportWorld } from './export.js';
import { importWorld } from './import.js';
import type { World } from '../world.js';

/** A copy of the world without payments and events: accounts hold their opening balance. */
export function withoutPayments(world: World): World {
  const state = exportWorld(world);
  const accounts = state.accounts.map(unusedAccount);
  const ordinals = accounts.flatMap(({ transactions }) => transactions.map(({ ordinal }) => ordinal));
  return importWorld({
    ...state,
    accounts,
    charges: [],
    withdrawals: [],
    events: [],
    eventCount: 0,
    deliveries: [],
    deliveryCount: 0,
    transactionCount: Math.max(-1, ...ordinals) + 1,
    agenda: state.agenda.filter(isOfSession),
  });
}

function isOfSession({ kind }: WorldExport['agenda'][number]): boolean {
  return kind !== undefined && AGENDA[kind].table === 'sessions';
}

type AccountExport = WorldExport['accounts'][number];

function unusedAccount({ id, appId, transactions: [first] }: AccountExport): AccountExport {
  const opening = first?.code === OPENING_BALANCE_CODE ? [first] : [];
  return { id, appId, balanceCents: String(opening[0]?.amountCents ?? 0), transactions: opening };
}

/** A copy of the world without identity sessions. */
export function withoutSessions(world: World): World {
  const state = exportWorld(world);
  return importWorld({
    ...state,
    sessions: [],
    agenda: state.agenda.filter((item) => !isOfSession(item)),
  });
}
