import { EVENT_TYPES, type EventType, FAILURE_REASONS, PAYMENT_EVENTS } from './enums.js';
import { describeEvent, LATE_PAYMENT } from './transitions.js';

/** Defines a `trigger` option; every surface parses its value by `kind`. Texts are `English | Portuguese`. */
export interface TriggerOption {
  readonly kind: 'text' | 'flag' | 'choice' | 'count' | 'overrides';
  readonly label: string;
  readonly description: string;
  /** Value name in the help output; absent for flags. */
  readonly placeholder?: string;
  /** Events the option applies to; defaults to all events. */
  readonly events?: readonly EventType[];
  /** Values of a `choice` and their meanings. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Sandbox list that provides suggestions. */
  readonly rows?: 'charges' | 'withdrawals';
}

/** `trigger` options, in addition to the application and payment fields. */
export const TRIGGER_OPTIONS = {
  charge: {
    kind: 'text',
    placeholder: 'id',
    label: 'Charge | Cobrança',
    description:
      'use this charge (id or code) instead of creating one | usa esta cobrança (id ou código) em vez de criar uma',
    events: PAYMENT_EVENTS.charge,
    rows: 'charges',
  },
  withdrawal: {
    kind: 'text',
    placeholder: 'id',
    label: 'Withdrawal | Saque',
    description:
      'use this withdrawal (id or code) instead of creating one | usa este saque (id ou código) em vez de criar um',
    events: PAYMENT_EVENTS.withdrawal,
    rows: 'withdrawals',
  },
  reason: {
    kind: 'choice',
    placeholder: 'code',
    label: 'Reason | Motivo',
    description: 'SPI code, e.g. AC03 | código SPI, ex.: AC03',
    events: EVENT_TYPES.filter((type) => describeEvent(type).hasReason),
    choices: FAILURE_REASONS,
  },
  late: {
    kind: 'flag',
    label: 'Late | Com atraso',
    description:
      'expire the charge before paying it (pix.settled) | expira a cobrança antes do pagamento (pix.settled)',
    events: [LATE_PAYMENT.event],
  },
  override: {
    kind: 'overrides',
    placeholder: 'path=value',
    label: 'Overrides | Campos sobrescritos',
    description:
      'change only the payload, e.g. data.object.amount=1.00; path:=json also changes the type | ' +
      'altera só o payload, ex.: data.object.amount=1.00; caminho:=json altera também o tipo',
  },
  count: {
    kind: 'count',
    placeholder: 'n',
    label: 'Count | Quantidade',
    description: 'number of times to trigger the event | número de vezes',
  },
} as const satisfies Readonly<Record<string, TriggerOption>>;

type ValueOf<Option extends TriggerOption> = {
  readonly text: string;
  readonly flag: boolean;
  readonly choice: keyof Option['choices'] & string;
  readonly count: number;
  readonly overrides: Readonly<Record<string, unknown>>;
}[Option['kind']];

/** Option values accepted by the control API and the library. */
export type TriggerValues = {
  readonly [Name in keyof typeof TRIGGER_OPTIONS]?: ValueOf<(typeof TRIGGER_OPTIONS)[Name]> | undefined;
};

export const TRIGGER_NAMES = Object.keys(TRIGGER_OPTIONS) as (keyof TriggerValues)[];

/** Maps each option to a value, keyed by option name. */
export function mapTriggerOptions<Result>(
  derive: (option: TriggerOption, name: keyof TriggerValues) => Result,
) {
  const entries = TRIGGER_NAMES.map((name) => [name, derive(TRIGGER_OPTIONS[name], name)]);
  return Object.fromEntries(entries) as { readonly [Name in keyof TriggerValues]-?: Result };
}

/** Lists the events an option applies to. */
export function listOptionEvents(name: keyof TriggerValues): readonly EventType[] {
  const option: TriggerOption = TRIGGER_OPTIONS[name];
  return option.events ?? EVENT_TYPES;
}
