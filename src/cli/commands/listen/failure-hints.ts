import { explainResponse, type FailedResponse, type ResponseCause } from '../../../check/response-causes.js';
import { findForgery, replacesOutcome } from '../../../contract/fault-kinds.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import { parseUrl } from '../../../text/urls.js';
import type { Io } from '../../program/io.js';
import type { FoundAttempt } from '../../sandbox/find-sandbox.js';
import { printNote, toOneLine } from '../../terminal/text.js';

type Fault = { readonly action: string };

/** Returns true if the receiver itself refused a correctly signed attempt. */
export function isReceiverFailure(faults: readonly Fault[] = []): boolean {
  return findForgery(faults) === undefined && !faults.some(replacesOutcome);
}

/** Converts an attempt result to the response of a receiver. */
export function toFailedResponse({ status, error, response }: AttemptResult): FailedResponse {
  return { status, error, headers: response?.headers ?? [], body: response?.body ?? new Uint8Array() };
}

/** Converts a recorded attempt to the response of a receiver. */
export function toRecordedResponse(attempt: FoundAttempt): FailedResponse {
  const { response_status: status, error, response } = attempt;
  const { headers = [], body = '', body_base64: encoded } = response ?? {};
  const bytes = encoded === undefined ? Buffer.from(body) : Buffer.from(encoded, 'base64');
  return { status, error, headers, body: bytes };
}

/** Explains why a receiver refused a correctly signed attempt. Returns undefined for a 2xx response. */
export function explainFailure(target: URL | string | null | undefined, response: FailedResponse) {
  const url = typeof target === 'string' ? parseUrl(target) : target;
  return explainResponse(url ?? new URL('http://localhost/'), response);
}

/** Returns the command that explains a failed delivery in the running sandbox. */
export function formatVerifyCommand({ program }: Pick<Io, 'program'>, id: string, attempt?: number): string {
  return `\`${program} verify --delivery ${id}${attempt === undefined ? '' : ` --attempt ${attempt}`}\``;
}

/** Formats a cause as a hint, with its two main suspects and the command that explains a response. */
export function formatHint({ message, fix, suspects }: ResponseCause, command?: string): string {
  const likely = suspects.slice(0, 2).join(', or ');
  const text = toOneLine(`${message} ${likely === '' ? fix : `Most likely, ${likely}.`}`, 0);
  return withCommand(text, command);
}

function withCommand(text: string, command: string | undefined): string {
  return command === undefined ? text : `${text} To find out why: ${command}.`;
}

interface Failure {
  readonly cause: string;
  readonly body: string;
  readonly command: string | undefined;
}

/** Groups equal failures, to explain each cause once. */
export class FailureGroups {
  /** First failures and their counts, by cause. */
  readonly #groups = new Map<string, { readonly first: Failure; count: number }>();
  #last: Failure | undefined;

  /** Adds a failure. Returns which parts differ from the previous attempt, if that failed as well. */
  add(failure: Failure): { readonly isNewCause: boolean; readonly isNewBody: boolean } {
    const { cause, body } = failure;
    const group = this.#groups.get(cause) ?? { first: failure, count: 0 };
    group.count += 1;
    this.#groups.set(cause, group);
    const isNewCause = this.#last?.cause !== cause;
    const isNewBody = isNewCause || this.#last?.body !== body;
    this.#last = failure;
    return { isNewCause, isNewBody };
  }

  /** Explains the next failure again, because an attempt succeeded. */
  reset(): void {
    this.#last = undefined;
  }

  /** Prints the first cause with its count, if it was repeated; with a command if the sandbox `isRunning`. */
  note(io: Io, isRunning: boolean): void {
    const [group] = this.#groups.values();
    if (group === undefined || group.count < 2) return;
    const { cause, command } = group.first;
    printNote(
      io,
      `First cause, ${group.count} times: ${withCommand(cause, isRunning ? command : undefined)}`,
    );
  }
}
