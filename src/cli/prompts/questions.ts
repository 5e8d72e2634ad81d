import type { Asker } from './asker.js';

/** What was answered: all the arguments, and the options that come to those that were typed. */
export interface Answers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** Asks for what a command lacks. */
export type Questions<Invocation> = (invocation: Invocation, asker: Asker) => Promise<Answers>;
