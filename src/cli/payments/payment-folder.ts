import { rows } from '../completion/sources.js';
import type { CommandFolder } from '../program/declaration.js';
import { declare } from '../program/declaration.js';
import { choice, optional, required } from '../program/options.js';
import { APP, OF_APP, PAGE, REASON } from '../program/shared-options.js';
import type { NEW_CHARGE, NEW_WITHDRAWAL } from './payment-options.js';
import { paymentFields } from './payment-options.js';

/** A command that moves a payment to its next state. */
interface Move {
  readonly summary: string;
  readonly description?: string;
  /** Takes a reason. */
  readonly fails?: boolean;
}

interface PaymentTexts extends Pick<CommandFolder, 'about' | 'related'> {
  readonly what: 'charge' | 'withdrawal';
  readonly statuses: readonly string[];
  readonly create: { readonly summary: string; readonly examples: readonly string[] };
  readonly fields: typeof NEW_CHARGE | typeof NEW_WITHDRAWAL;
  /** By verb, such as `settle`. */
  readonly moves: Readonly<Record<string, Move>>;
  /** Such as `order-1`. */
  readonly exampleCode: string;
}

/** The commands that list, show, create and move charges or withdrawals. */
export function paymentFolder(texts: PaymentTexts): CommandFolder {
  const { what, statuses, fields, about, related } = texts;
  const group = `${what}s` as const;
  const load = async () => (await import('./payment-commands.js'))[what];
  const questions = () => import('./questions.js');
  const examples = [texts.exampleCode];
  const status = choice('status', 'only in this state', statuses, `${what} status`);
  const list = declare({
    name: `${group} list`,
    summary: `${group}, newest first`,
    options: { status, ...OF_APP, ...PAGE },
    examples: ['', '--status PENDING --limit 10'],
  });
  const args = { id: required(rows(group)) };
  const show = declare({ name: `${group} show`, summary: `one ${what}`, args, options: APP, examples });
  const create = declare({ ...texts.create, name: `${group} create`, options: { ...fields, ...APP } });
  const moves = Object.entries(texts.moves).map(([verb, { fails = false, ...move }]) =>
    declare({
      ...move,
      name: `${group} ${verb}`,
      args: { id: optional(rows(group)) },
      options: fails ? { ...REASON, ...APP } : APP,
      examples,
    }).runs(async () => (await load()).move(verb), {
      when: ({ args }) => args.id === undefined,
      load: async () => (await questions()).moveQuestions(what, verb),
    }),
  );
  const commands = [
    list.runs(async () => (await load()).list),
    show.runs(async () => (await load()).show),
    create.runs(async () => (await load()).create, {
      when: ({ options }) => Object.keys(paymentFields(options)).length === 0,
      load: async () => (await questions()).newPaymentQuestions,
    }),
    ...moves,
  ];
  return { about, related, commands };
}
