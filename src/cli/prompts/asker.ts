/** One of several things to choose from. */
export interface Choice<Value> {
  readonly value: Value;
  /** On one line, and harmless. */
  readonly name: string;
  /** Shown while it is pointed at. */
  readonly description?: string;
  /** Chosen from the beginning, where several may be. */
  readonly checked?: boolean;
}

/** What is wrong with a text; undefined when nothing is. */
export type Check = (text: string) => string | undefined;

/** Asks who sits at the terminal. Every question rejects with a CliError when they leave instead of answering. */
export interface Asker {
  /** One of them, the first one being the likeliest; a long list can be searched. */
  readonly choose: <Value>(question: string, choices: readonly Choice<Value>[]) => Promise<Value>;
  /** Some of them, at least one. */
  readonly chooseSome: <Value>(question: string, choices: readonly Choice<Value>[]) => Promise<Value[]>;
  /** A text without blanks around it; what the check finds wrong is said, and asked again. */
  readonly write: (question: string, likely: string, check?: Check) => Promise<string>;
  readonly confirm: (question: string, likely: boolean) => Promise<boolean>;
}
