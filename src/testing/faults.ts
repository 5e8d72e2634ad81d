import type { ControlClient } from '../client/control.js';
import { SandboxError } from '../client/sandbox-error.js';
import { REFUSAL_STATUSES } from '../contract/refusals.js';
import { FaultFileError, readFaults } from '../sandbox/faults/fault-file.js';
import { messageOf } from '../text/errors.js';
import type { CallFaultAction, DeliveryFaultAction, FaultView } from '../shapes.js';

interface FaultDetails {
  readonly status?: number | undefined;
  /** A duration of real time up to 60 s, such as `2s`. */
  readonly delay?: string | undefined;
  readonly copies?: number | undefined;
  /** `duplicate`: sends all copies at once with the original. */
  readonly parallel?: boolean | undefined;
  /** `restart`: before the attempt, or (the default) as soon as its answer has arrived. */
  readonly when?: 'before' | 'answered' | undefined;
  /** The client's code of the charge or withdrawal that it is about; `*` stands for any text. */
  readonly code?: string | undefined;
  /** The rank, from 1, of the charge, withdrawal or session that it is about, in order of creation. */
  readonly resource?: number | undefined;
  /** Fires on the nth call or attempt that all else matches, counted from 1, and never again. */
  readonly nth?: number | undefined;
  /** Greater than 0, and at most 1, the default. */
  readonly probability?: number | undefined;
  /** How often it fires at most; unlimited by default. */
  readonly count?: number | undefined;
}

/** A fault. `on` is required for an action that exists for both calls and deliveries (`delay`). */
export type FaultFields = FaultDetails &
  (
    | {
        readonly on?: 'call' | undefined;
        readonly action: CallFaultAction;
        readonly door?: 'api' | 'identity' | undefined;
        readonly method?: string | undefined;
        readonly path?: string | undefined;
      }
    | {
        readonly on?: 'delivery' | undefined;
        readonly action: DeliveryFaultAction;
        readonly event?: string | undefined;
        /** An id, or a pattern for the URL, which holds a slash or a star: `https://shop.example/*`. */
        readonly endpoint?: string | undefined;
        readonly attempt?: number | undefined;
      }
  );

/** An active fault; ended by `remove`, or at the end of its `await using`. */
export type AddedFault = FaultView & AsyncDisposable & { readonly remove: () => Promise<void> };

/** Misbehaviour on purpose. Every method rejects with SandboxError. */
export interface FaultVerbs {
  readonly add: (fields: FaultFields) => Promise<AddedFault>;
  readonly list: () => Promise<FaultView[]>;
  readonly remove: (id: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** @internal */
export function faultVerbs(control: ControlClient): FaultVerbs {
  const remove = async (id: string) => {
    await control.delete('faults/:id', { id }).catch((error: unknown) => {
      // It is gone already: a reset or another caller removed it.
      if (!(error instanceof SandboxError && error.code === 'NOT_FOUND')) throw error;
    });
  };
  return {
    add: async (fields) => {
      const fault = await control.post('faults', { body: fields });
      const removeThis = () => remove(fault.id);
      return { ...fault, remove: removeThis, [Symbol.asyncDispose]: removeThis };
    },
    list: async () => (await control.get('faults')).data,
    remove,
    clear: async () => {
      await control.delete('faults');
    },
  };
}

/** Reads a file of faults, or the faults in a directory of results. Throws SandboxError with the place of the first mistake. @internal */
export function faultsOfFile(path: string): {
  readonly faults: readonly FaultFields[];
  readonly seed?: string;
} {
  try {
    return readFaults(path, path) as ReturnType<typeof faultsOfFile>;
  } catch (error) {
    const isOfText = error instanceof FaultFileError;
    const message = isOfText ? error.message : `The fault file ${path} cannot be read: ${messageOf(error)}`;
    const body = {
      code: 'INVALID_REQUEST',
      message,
      request_id: '',
      details: [],
      ...(isOfText && { hint: error.hint }),
    };
    throw new SandboxError(REFUSAL_STATUSES.INVALID_REQUEST, body, path);
  }
}
