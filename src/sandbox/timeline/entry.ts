/** What an entry of the timeline is about. */
export const ENTRY_KINDS = [
  'call',
  'command',
  'change',
  'event',
  'delivery',
  'attempt',
  'clock',
  'fault',
  'listener',
  'state',
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Who or what began a story. `control` is the control API, and so every command of the CLI. */
export const ACTORS = ['call', 'control', 'console', 'scenario', 'clock', 'listener', 'sandbox'] as const;

export type Actor = (typeof ACTORS)[number];

/** The facts of an entry, by the names that the control API gives them; which ones there are depends on the kind. */
export interface EntryFacts {
  /** The table of the row that changed, and its status before (null for a new row) and after. */
  readonly resource?: 'charge' | 'withdrawal' | 'session' | 'endpoint';
  readonly from?: string | null;
  readonly to?: string;
  /** The charge, withdrawal or other row that it is about, and its code. */
  readonly resource_id?: string | null;
  readonly code?: string;
  /** The name of the command that was applied, such as charge.settle. */
  readonly command?: string;
  readonly scenario?: string;
  readonly event_type?: string;
  readonly event_id?: string;
  readonly delivery_id?: string;
  readonly endpoint_id?: string;
  /** Where the delivery goes: the URL of the endpoint, or what a listener forwards to. */
  readonly target?: string;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
  /** The status of an HTTP answer: ours to a call, the receiver's to an attempt. */
  readonly status?: number | null;
  /** Why a call was refused or an attempt failed. */
  readonly error?: string | null;
  readonly method?: string;
  readonly path?: string;
  /** Whether there is a route for it. */
  readonly matched?: boolean;
  readonly app_id?: string | null;
  /** The attempts to the application that were under way when its call began. */
  readonly during?: readonly string[];
  /** The faults that fired. */
  readonly faults?: readonly string[];
  /** The instants (sandbox time) between which the clock was moved, or its new rate. */
  readonly moved_from?: string;
  readonly moved_to?: string;
  readonly rate?: number;
}

/** One thing that happened. Entries never change once they have a number. */
export interface Entry {
  /** From 1, without gaps, within one run of the process. */
  readonly seq: number;
  /** The number of the entry that led to this one; null for what came from outside. */
  readonly cause: number | null;
  readonly by: Actor;
  /** Sandbox time and real time, in milliseconds; real time is null for what was rebuilt from a journal. */
  readonly at: number;
  readonly realAt: number | null;
  readonly kind: EntryKind;
  /** The row it is about; an attempt is `<delivery id>.<number>`. */
  readonly id: string | null;
  readonly title: string;
  readonly facts: EntryFacts;
}

export function attemptId(deliveryId: string, number: number): string {
  return `${deliveryId}.${number}`;
}
