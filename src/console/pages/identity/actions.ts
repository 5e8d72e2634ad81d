import { shortSessionId } from '../../../core/identity/session.js';
import type { CustomerType } from '../../../contract/customer-types.js';
import type { Action } from '../../model/actions.js';
import { commandLine } from '../../model/command.js';
import type { Words } from '../../words/words.js';

/** A status, or an error instead of it; a delay is how long until the decision can be read. */
export interface Decision {
  readonly status?: string | undefined;
  readonly document?: string | undefined;
  readonly delay?: string | undefined;
  readonly error?: string | undefined;
}

/** The beginning of a session's id, which finds it and is no credential. */
export function namedSession(id: string): string {
  return shortSessionId(id).replace('…', '');
}

/** What can be done with identity sessions. */
export function identityActions({ identity: words }: Words) {
  return {
    create: (type: CustomerType, app: string | undefined): Action => ({
      done: words.created,
      command: commandLine('kyc create', [], { 'customer-type': type, app }),
      run: (client) => client.post('kyc/sessions', { app, body: { customer_type: type } }),
    }),
    decide: (id: string, decision: Decision): Action => {
      const { status, ...options } = decision;
      return {
        done: status === undefined ? words.reported(decision.error ?? '') : words.decided(status),
        command: commandLine(
          'kyc decide',
          [namedSession(id), ...(status === undefined ? [] : [status])],
          options,
        ),
        run: (client) => client.post('kyc/sessions/:id/decide', { id, body: decision }),
      };
    },
  };
}
