import { DEFAULT_FAILURE_REASON } from '../../../contract/failure-reasons.js';
import type { ChargeStatus, WithdrawalStatus } from '../../../contract/transitions.js';
import { TRANSITIONS } from '../../../contract/transitions.js';
import { commandLine } from '../../model/command.js';
import type { Action } from '../../model/actions.js';
import type { Words } from '../../words/words.js';

/** What can be done with a payment as it is. */
export interface Move<Name extends string> {
  readonly name: Name;
  /** The reason counts for failures alone; undefined leaves it to the sandbox. */
  readonly action: (reason: string | undefined) => Action;
}

export type ChargeMove = keyof Words['payments']['charge']['moves'];
export type WithdrawalMove = keyof Words['payments']['withdrawal']['moves'];

/** The moves that take a reason. */
export function takesReason(name: ChargeMove | WithdrawalMove): boolean {
  return name === 'fail' || name === 'return';
}

/** The payer's side of a charge, as far as its state allows (§3). */
export function chargeMoves(
  { payments }: Words,
  { id, status }: { readonly id: string; readonly status: ChargeStatus },
): Move<ChargeMove>[] {
  const { moves } = payments.charge;
  const to: readonly ChargeStatus[] = TRANSITIONS.charge[status];
  const settle = (done: string): Action => ({
    done,
    command: `charges settle ${id}`,
    run: (client) => client.post('charges/:id/settle', { id }),
  });
  const found: Move<ChargeMove>[] = [];
  if (status === 'PENDING') found.push({ name: 'pay', action: () => settle(moves.pay.done) });
  if (to.includes('FAILED')) {
    const action = (reason: string | undefined): Action => ({
      done: moves.fail.done,
      command: commandLine('charges fail', [id], { reason }),
      run: (client) => client.post('charges/:id/fail', { id, body: { reason } }),
    });
    found.push({ name: 'fail', action });
  }
  if (to.includes('EXPIRED')) {
    const action = (): Action => ({
      done: moves.expire.done,
      command: `charges expire ${id}`,
      run: (client) => client.post('charges/:id/expire', { id }),
    });
    found.push(
      { name: 'expire', action },
      { name: 'payLate', action: () => payLate(moves.payLate.done, id) },
    );
  } else if (to.includes('SETTLED')) {
    found.push({ name: 'payLate', action: () => settle(moves.payLate.done) });
  }
  return found;
}

/** Lets a charge expire and then pays it, in one call. */
function payLate(done: string, id: string): Action {
  return {
    done,
    command: `trigger pix.settled --charge ${id} --late`,
    run: (client) => client.post('trigger', { body: { type: 'pix.settled', charge: id, late: true } }),
  };
}

/** The bank's side of a withdrawal, as far as its state allows (§3). */
export function withdrawalMoves(
  { payments }: Words,
  { id, status }: { readonly id: string; readonly status: WithdrawalStatus },
): Move<WithdrawalMove>[] {
  const isOpen = status === 'PENDING' || status === 'PROCESSING';
  const names: WithdrawalMove[] = [
    ...(status === 'PENDING' ? (['process'] as const) : []),
    ...(isOpen ? (['settle', 'fail'] as const) : []),
    ...(status === 'SETTLED' ? (['return'] as const) : []),
  ];
  return names.map((name) => ({
    name,
    action: (given) => {
      const reason = takesReason(name) ? (given ?? DEFAULT_FAILURE_REASON) : undefined;
      return {
        done: payments.withdrawal.moves[name].done,
        command: commandLine(`withdrawals ${name}`, [id], { reason }),
        run: (client) =>
          name === 'fail' || name === 'return'
            ? client.post(`withdrawals/:id/${name}`, { id, body: { reason } })
            : client.post(`withdrawals/:id/${name}`, { id }),
      };
    },
  }));
}
