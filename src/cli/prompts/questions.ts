import type { Invocation } from '../program/io.js';
import type { Asker } from './asker.js';

/** What was answered: all the arguments, and the options that come to those that were typed. */
export interface Answers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** What a command asks for where it lacks something. */
export interface Questions {
  /** The words of the command, such as `charges settle`. */
  readonly command: string;
  readonly ask: (invocation: Invocation, asker: Asker) => Promise<Answers>;
}
