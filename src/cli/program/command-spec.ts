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

export const LIST_OPTIONS: readonly OptionSpec[] = [
  { flags: '--limit <n>', description: 'rows on the page, 1 to 50' },
  { flags: '--after <cursor>', description: 'go on to older rows' },
  { flags: '--before <cursor>', description: 'go back to newer rows' },
];
export const APP: OptionSpec = { flags: '--app <app>', description: 'the application, by id or name' };
export const REASON: OptionSpec = { flags: '--reason <code>', description: 'SPI code, such as AC03' };
export const NEW_CHARGE: readonly OptionSpec[] = [
  { flags: '--amount <amount>', description: 'such as 10.00' },
  { flags: '--code <code>', description: 'your identifier of it' },
  { flags: '--payer-name <name>', description: 'who pays' },
  { flags: '--payer-document <document>', description: 'CPF or CNPJ of who pays' },
  { flags: '--metadata <key=value>', description: 'one entry of the metadata', list: true },
];
export const NEW_WITHDRAWAL: readonly OptionSpec[] = [
  { flags: '--pix-key <key>', description: 'CPF, CNPJ, e-mail, +55 phone or random key' },
];
