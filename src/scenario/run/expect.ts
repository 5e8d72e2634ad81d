import { formatAmount } from '../../contract/money.js';
import { LIST_NAMES } from '../format/expectations.js';
import type { ListName } from '../format/expectations.js';
import { refused, StepFailure } from './failure.js';
import type { Taken } from '../format/steps.js';
import type { Row } from './observed.js';
import { differences } from './match.js';
import { judgeRows } from './row-expectations.js';
import type { Stage } from './stage.js';
import { encodeSegment } from '../../text/urls.js';

type Expectation = Taken<'expect'>;
type Seen = Readonly<Record<string, unknown>>;

/** Real time that deliveries get to end before an expectation is checked. */
const PATIENCE = '15s';

/** Waits until nothing is in flight, checks, and returns what it found. Throws StepFailure with every mismatch. */
export async function expectAll(stage: Stage, wanted: Expectation): Promise<Seen> {
  const { idle } = await stage.doors.control.get('idle', { timeout: PATIENCE });
  const seen = new Map<string, unknown>();
  const misses: string[] = [];
  for (const list of LIST_NAMES) {
    if (wanted[list] === undefined) continue;
    const judged = judgeRows(list, wanted[list], await rowsOf(stage, list));
    seen.set(list, judged.found);
    misses.push(...judged.misses);
  }
  for (const name of Object.keys(LOOKS) as Looked[]) {
    if (wanted[name] === undefined) continue;
    const look = await LOOKS[name](stage, wanted[name] as never);
    seen.set(name, look.value);
    misses.push(...look.misses);
  }
  if (misses.length > 0 && !idle) misses.push(`Deliveries were still in flight after ${PATIENCE}.`);
  if (misses.length > 0) throw new StepFailure(...misses);
  return Object.fromEntries(seen);
}

async function rowsOf({ history, receiver, endpoints }: Stage, list: ListName): Promise<readonly Row[]> {
  const rows =
    list === 'received'
      ? Array.from(receiver?.received ?? [], (row) => ({ ...row }))
      : await history.rows(list);
  if (list === 'calls' || list === 'transactions') return rows;
  const isOwn = await history.ownership();
  const own = rows.filter((row) => isOwn(resourceIdOf(row)));
  if (list !== 'deliveries' || receiver === undefined) return own;
  // A running sandbox may have other listeners, too.
  return own.filter(({ endpoint_id: id }) => id === receiver.facts.id || endpoints.has(String(id)));
}

/** The id of the charge or withdrawal of an event, a delivery or a received payload. */
function resourceIdOf({ resource, payload }: Row): unknown {
  const { data } = (payload ?? {}) as { readonly data?: { readonly object?: { readonly id?: unknown } } };
  const { id } = (resource ?? data?.object ?? {}) as { readonly id?: unknown };
  return id;
}

interface Look {
  readonly value: unknown;
  readonly misses: readonly string[];
}

type Looked = Exclude<keyof Expectation, ListName>;

const LOOKS: {
  readonly [Name in Looked]: (stage: Stage, wanted: NonNullable<Expectation[Name]>) => Promise<Look>;
} = {
  charge: (stage, wanted) => lookAt(stage, 'charges', wanted),
  withdrawal: (stage, wanted) => lookAt(stage, 'withdrawals', wanted),
  result: lookAtResult,
  balance: lookAtBalance,
};

async function lookAt(
  stage: Stage,
  what: 'charges' | 'withdrawals',
  { id, ...wanted }: { readonly id: string } & Row,
): Promise<Look> {
  const value = await stage.doors.control.get(`${what}/:id`, { id });
  return { value, misses: named(`${what.slice(0, -1)} ${value.code}`, differences(wanted, value)) };
}

/** The result as the partner's server reads it; an error has its code and no status. */
async function lookAtResult(
  { doors }: Stage,
  { session, ...wanted }: { readonly session: string } & Row,
): Promise<Look> {
  const { status, body } = await doors.lookUp(`/api/v1/kyc/sessions/${encodeSegment(session)}/result`);
  const { error, ...fields } = (body ?? {}) as { readonly error?: { readonly code: string } };
  if (status === 404 || status === 401) throw refused('The result of the session', status, body);
  const value = { status: null, ...fields, http_status: status, error: error?.code ?? null };
  return { value, misses: named('result', differences(wanted, value)) };
}

async function lookAtBalance({ history }: Stage, wanted: string): Promise<Look> {
  const isChange = /^[+-]/.test(wanted);
  const cents = (await history.balanceCents()) - (isChange ? history.startCents : 0n);
  const value = `${isChange && cents >= 0n ? '+' : ''}${formatAmount(cents)}`;
  // -0.00 and +0.00 are the same change.
  const isMet = value === wanted.replace(/^-(0+\.00)$/, '+$1');
  const what = isChange ? 'the balance changed by' : 'the balance is';
  return { value, misses: isMet ? [] : [`balance: expected ${wanted}; ${what} ${value}.`] };
}

function named(what: string, misses: readonly string[]): string[] {
  return misses.map((miss) => `${what}: ${miss}`);
}
