import type { CommandBody } from './io.js';

/** An option: commander's flags text and what it means. `list` options may be repeated. */
export interface OptionSpec {
  readonly flags: string;
  readonly description: string;
  readonly list?: boolean;
}

/** A command as the user meets it; its code is loaded only when it runs. */
export interface CommandSpec {
  /** The words after `sandbox`, such as `charges list`. */
  readonly name: string;
  readonly summary: string;
  /** Commander's argument texts, such as `<id>` or `[event]`. */
  readonly args?: readonly string[];
  readonly options?: readonly OptionSpec[];
  /** Arguments and options of at least one call that works, without the name. */
  readonly examples: readonly string[];
  readonly load: () => Promise<CommandBody>;
}

export const APP: OptionSpec = { flags: '--app <app>', description: 'the application, by id or name' };
