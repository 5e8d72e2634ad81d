/** One of several things to choose from. */
export interface Choice<Value> {
  readonly value: Value;
  /** On one line, without control characters. */
  readonly name: string;
  /** Shown while the choice is highlighted. */
  readonly description?: string;
  /** Preselected, if several can be chosen. */
  readonly checked?: boolean;
}

/** What is wrong with a text; undefined when nothing is. */
export type Check = (text: string) => string | undefined;

/** Asks the user at the terminal. Every question rejects with a CliError if they leave without answering. */
export interface Asker {
  /** Asks for one choice; the first is the likeliest, and a long list can be searched. */
  readonly choose: <Value>(question: string, choices: readonly Choice<Value>[]) => Promise<Value>;
  /** Asks for one or more choices. */
  readonly chooseSome: <Value>(question: string, choices: readonly Choice<Value>[]) => Promise<Value[]>;
  /** Asks for a text, trimmed; if the check finds a problem, shows it and asks again. */
  readonly write: (question: string, likely: string, check?: Check) => Promise<string>;
  readonly confirm: (question: string, likely: boolean) => Promise<boolean>;
}

/** The answers: all arguments, and the options to add to those typed. */
export interface Answers {
  readonly args: readonly string[];
  readonly options?: Readonly<Record<string, string | true | undefined>>;
}

/** Asks for what a command lacks. */
export type Questions<Invocation> = (invocation: Invocation, asker: Asker) => Promise<Answers>;
