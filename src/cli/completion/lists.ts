import { clearTimeout, setTimeout } from 'node:timers';
import {
  resolveAssumptions,
  ASSUMPTION_IDS,
  describeAssumption,
  isAssumptionId,
} from '../../contract/assumptions.js';
import type { ControlClient } from '../../client/control.js';
import type { Environment } from '../../client/run-file.js';
import { shortenSessionId } from '../../core/identity/session.js';
import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import type { DeliveryLine } from '../../http/control/exchanges.js';
import { findSandbox } from '../sandbox/find-sandbox.js';

/** Real-time response timeout. Short enough to complete in half a second, including process startup. */
const RESPONSE_TIMEOUT_MS = 350;
const PAGE = { limit: 50 };

export interface CompletionContext {
  readonly env: Environment;
  readonly cwd: string;
  /** The command line's `--url` value. */
  readonly url: string | undefined;
}

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * Lists the running sandbox's rows, newest first. Returns an empty list if the sandbox does not respond in
 * time.
 */
export async function listCandidates(
  typist: CompletionContext,
  list: ListName,
): Promise<readonly Candidate[]> {
  let client: ControlClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    client = findSandbox({ io: typist, options: { url: typist.url } });
    const timeUp = new Promise<readonly Candidate[]>((resolve) => {
      timer = setTimeout(() => resolve([]), RESPONSE_TIMEOUT_MS);
    });
    return await Promise.race([LISTS[list](client), timeUp]);
  } catch {
    // Completion must never print errors.
    return [];
  } finally {
    clearTimeout(timer);
    client?.close();
  }
}

async function each<Row>(
  asked: Promise<{ readonly data: readonly Row[] }>,
  candidates: (row: Row) => readonly Candidate[],
): Promise<readonly Candidate[]> {
  return (await asked).data.flatMap(candidates);
}

function one(value: string, ...words: readonly string[]): Candidate[] {
  return [{ value, description: words.join(' ') }];
}

/** Offers the code and the id, because commands accept both. */
function payment({ code, id, status, amount }: ChargeView | WithdrawalView): Candidate[] {
  return [...one(code, amount, status), ...one(id, code, amount, status)];
}

function delivery({ id, event_type, status, endpoint_name }: DeliveryLine): Candidate[] {
  return one(id, event_type, status, endpoint_name ?? '');
}

const LISTS = {
  charges: (client) => each(client.get('charges', PAGE), payment),
  withdrawals: (client) => each(client.get('withdrawals', PAGE), payment),
  events: (client) =>
    each(client.get('events', PAGE), ({ id, type, resource }) => one(id, type, resource.code)),
  deliveries: (client) => each(client.get('deliveries', PAGE), delivery),
  deadLetters: (client) => each(client.get('deliveries', { ...PAGE, status: 'FAILED' }), delivery),
  endpoints: (client) => each(client.get('endpoints'), ({ id, url, status }) => one(id, url, status)),
  faults: (client) => each(client.get('faults'), ({ id, on, action }) => one(id, on, action)),
  incidents: (client) =>
    each(client.get('incidents'), ({ name, running, until }) => (running ? one(name, until ?? '') : [])),
  calls: (client) =>
    each(client.get('calls'), ({ id, method, path, status }) => one(id, method, path, String(status))),
  // Offers only a prefix, because a full session id is a credential.
  sessions: (client) =>
    each(client.get('kyc/sessions', PAGE), ({ id, customer_type, status }) =>
      one(shortenSessionId(id).replace('…', ''), customer_type, status),
    ),
  accounts: async (client) =>
    (await client.get('status')).accounts.flatMap(({ id, balance }) => one(id, balance)),
  apps: (client) => each(client.get('apps'), ({ id, name }) => one(name, id)),
} as const satisfies Record<string, (client: ControlClient) => Promise<readonly Candidate[]>>;

export type ListName = keyof typeof LISTS;

/** Completes an assumption id, or the assumption's value after `=`. */
export function completeAssumption(typed: string): readonly Candidate[] {
  const assumed = resolveAssumptions();
  const id = typed.slice(0, Math.max(typed.indexOf('='), 0));
  if (!isAssumptionId(id)) {
    return ASSUMPTION_IDS.map((id) => {
      return { value: `${id}=`, description: describeAssumption(id, assumed).question };
    });
  }
  const { choices } = describeAssumption(id, assumed);
  const values = choices.includes(' | ') ? choices.split(' | ') : [];
  return values.map((value) => ({ value: `${id}=${value}`, description: '' }));
}
