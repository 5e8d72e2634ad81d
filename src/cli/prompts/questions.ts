import type { Asker } from './asker.js';

/** The answers: all arguments, and the options to add to those typed. */
export interface Answers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** Asks for what a command lacks. */
export type Questions<Invocation> = (invocation: Invocation, asker: Asker) => Promise<Answers>;
