import type { Answer } from '../check.js';
import type { Message } from './message.js';

/** Sends requests to a receiver. Every failure of the receiver is an answer; rejects only when the signal aborts. */
export interface Target {
  readonly url: string;
  /** Whether requests cross a socket. */
  readonly hasSocket: boolean;
  readonly send: (message: Message, signal: AbortSignal) => Promise<Answer>;
  readonly close: () => void;
}
