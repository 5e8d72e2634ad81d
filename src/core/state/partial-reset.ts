import { OPENING_BALANCE_CODE } from '../payments/ledger.js';
import { AGENDA_KINDS, inOrder } from '../agenda.js';
import { AGENDA } from '../due.js';
import type { WorldExport } from './export.js';
import { exportWorld } from './export.js';
import { importWorld } from './import.js';
import type { Organization, World } from '../world.js';
import { emptyTable, insert } from '../table.js';

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

function isOfSession({ kind }: Pick<WorldExport['agenda'][number], 'kind'>): boolean {
  return kind !== undefined && AGENDA[kind].table === 'sessions';
}

type AccountExport = WorldExport['accounts'][number];

function unusedAccount({ id, appId, transactions: [first] }: AccountExport): AccountExport {
  const opening = first?.code === OPENING_BALANCE_CODE ? [first] : [];
  return { id, appId, balanceCents: String(opening[0]?.amountCents ?? 0), transactions: opening };
}

/** The world without identity sessions: it takes the place of the given one, whose other rows it shares. */
export function withoutSessions(world: World): World {
  const organizations = emptyTable<Organization>();
  for (const one of world.organizations.rows) insert(organizations, { ...one, sessionsByKey: new Map() });
  const agenda = inOrder(
    world.agenda.filter(({ kind: number }) => !isOfSession({ kind: AGENDA_KINDS[number] })),
  );
  return { ...world, organizations, sessions: emptyTable(), agenda };
}
