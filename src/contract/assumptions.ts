import { SCOPES } from './enums.js';
import { FIXED_ASSUMPTIONS } from './fixed-assumptions.js';
import { formatAmount, isPercent } from './money.js';
import { Refusal } from './refusals.js';
import { formatDuration, parseDuration } from './time.js';

/** Describes an assumption about a question the contract leaves open, with its alternatives. */
interface AssumptionOf<Value> {
  readonly section: string;
  readonly question: string;
  readonly reason: string;
  readonly fallback: Value;
  /** Allowed values as text, e.g. `hex | base64` or `a duration such as 24h`. */
  readonly choices: string;
  readonly parse: (text: string) => Value | undefined;
  readonly format: (value: Value) => string;
}

type AssumptionText = Pick<AssumptionOf<unknown>, 'section' | 'question' | 'reason'>;

function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  fallback: NoInfer<Choice>,
  described: AssumptionText,
): AssumptionOf<Choice> {
  return {
    ...described,
    fallback,
    choices: choices.join(' | '),
    parse: (text) => choices.find((choice) => choice === text),
    format: String,
  };
}

function duration(fallback: string, described: AssumptionText): AssumptionOf<number> {
  return {
    ...described,
    fallback: parseDuration(fallback) ?? 0,
    choices: 'a duration such as 90s, 5m, 24h or 1d12h',
    parse: (text) => parseDuration(text),
    format: formatDuration,
  };
}

function percent(fallback: string, described: AssumptionText): AssumptionOf<string> {
  return {
    ...described,
    fallback,
    choices: 'a percentage from 0 to 100 with up to four decimals, such as 0.8',
    parse: (text) => (isPercent(text) ? text : undefined),
    format: String,
  };
}

/** Amounts are in cents. */
function money(fallback: number, described: AssumptionText): AssumptionOf<number> {
  return {
    ...described,
    fallback,
    choices: 'an amount with two decimals, such as 0.50',
    parse: (text) => (/^\d{1,8}\.\d{2}$/.test(text) ? Number(text.replace('.', '')) : undefined),
    format: formatAmount,
  };
}

/** Configurable assumptions by id, as used in `--assume ID=VALUE`. */
export const ASSUMPTIONS = {
  'charge.lifetime': duration('24h', {
    section: '§2.1',
    question: 'When does a charge expire?',
    reason: "Bacen's default for an immediate charge is 86400 seconds.",
  }),
  'charge.late_window': duration('24h', {
    section: '§3',
    question: 'How long after expiry can a charge still be paid?',
    reason: 'The contract mentions a supported window but not its length; one day is easy to reach in tests.',
  }),
  'charge.unknown_fields': oneOf(['ignore', 'refuse'], 'ignore', {
    section: '§4.1',
    question: 'What happens to unknown fields in a request?',
    reason: 'New fields must not break older servers; the request log shows a warning.',
  }),
  'charge.qr_image': oneOf(['full', 'omit'], 'full', {
    section: '§2.1',
    question: 'Does the response to charge creation include the QR image?',
    reason: 'The resource includes the field; a null value makes load tests cheaper.',
  }),
  'fee.provider_rate': percent('0.8', {
    section: '§2.1',
    question: 'What percentage of a charge is the provider fee?',
    reason: 'This is a common price for PIX collection; the fee is rounded half up.',
  }),
  'fee.provider_min': money(50, {
    section: '§2.1',
    question: 'What is the minimum provider fee?',
    reason: 'Providers charge a minimum; the fee never exceeds the amount.',
  }),
  'fee.provider_max': money(500, {
    section: '§2.1',
    question: 'What is the maximum provider fee?',
    reason: 'Providers cap the fee.',
  }),
  'fee.partner_rate': percent('0', {
    section: '§2.1',
    question: 'What percentage of a charge is the partner fee?',
    reason: 'Without a partner agreement, no partner fee applies.',
  }),
  'transactions.scope': oneOf(['none', ...SCOPES], 'none', {
    section: '§4.3',
    question: 'Which scope does listing transactions require?',
    reason:
      "The contract names no scope, so any valid token of the account's application can list transactions.",
  }),
  'signature.encoding': oneOf(['hex', 'base64'], 'hex', {
    section: '§5.2',
    question: 'How is X-Signature encoded?',
    reason: 'Digests in headers are usually encoded as lowercase hex.',
  }),
  'signature.digest_encoding': oneOf(['hex', 'base64'], 'hex', {
    section: '§5.2',
    question: 'How is the body digest encoded in the signed string?',
    reason: 'This matches the encoding of the signature.',
  }),
  'signature.path': oneOf(['path', 'target'], 'path', {
    section: '§5.2',
    question: 'Is only the path signed, or the full request target including the query string?',
    reason: 'The contract specifies the path: the exact bytes sent before the question mark.',
  }),
  'signature.tolerance': duration('300s', {
    section: '§8',
    question: 'How far can X-Timestamp be from the current time?',
    reason: 'The reference receiver uses the same tolerance for webhooks.',
  }),
  'endpoint.signature': oneOf(['optional', 'required'], 'optional', {
    section: '§5.2',
    question: 'Is a signature required to create an endpoint or rotate its secret?',
    reason: 'The contract lists only two signed operations; signatures on other requests are also verified.',
  }),
  'event.qr_image': oneOf(['full', 'omit'], 'full', {
    section: '§6',
    question: 'Does the charge in an event include the QR image?',
    reason: 'The event contains the full resource.',
  }),
  'webhook.timestamp': oneOf(['real', 'sandbox'], 'real', {
    section: '§6',
    question: 'Which clock timestamps a delivery when sandbox time differs from real time?',
    reason: 'Receivers compare webhook-timestamp with their own clock.',
  }),
  'session.lifetime': duration('30m', {
    section: '§2.7',
    question: 'When does a verification session expire?',
    reason: 'This lifetime is long enough for a person and short enough for a credential.',
  }),
  'session.lapsed_result': oneOf(['410', '200'], '410', {
    section: '§7',
    question: 'What does a request for the result of an expired session return?',
    reason: 'The contract lists 410 for an expired session; the alternative is 200 with the status expired.',
  }),
} as const;

export type AssumptionId = keyof typeof ASSUMPTIONS;

/** Maps each assumption to its value: durations in milliseconds, money in cents. */
export type AssumptionChoices = {
  readonly [Id in AssumptionId]: (typeof ASSUMPTIONS)[Id] extends AssumptionOf<infer Value> ? Value : never;
};

export const ASSUMPTION_IDS = Object.keys(ASSUMPTIONS).filter(isAssumptionId);

export function isAssumptionId(id: string): id is AssumptionId {
  return Object.hasOwn(ASSUMPTIONS, id);
}

/**
 * Merges the chosen values into the defaults. Throws for unknown ids and invalid values, and lists valid
 * alternatives.
 */
export function resolveAssumptions(chosen: Readonly<Record<string, string>> = {}): AssumptionChoices {
  const values: Record<string, string | number> = {};
  for (const id of ASSUMPTION_IDS) values[id] = ASSUMPTIONS[id].fallback;
  for (const [id, text] of Object.entries(chosen)) {
    if (Object.hasOwn(FIXED_ASSUMPTIONS, id)) {
      throw new Refusal('INVALID_REQUEST', `Assumption ${id} cannot be changed.`, {
        hint: `Configurable assumptions: ${ASSUMPTION_IDS.join(', ')}.`,
      });
    }
    if (!isAssumptionId(id)) {
      throw new Refusal('INVALID_REQUEST', `Unknown assumption ${id}.`, {
        hint: `Known assumptions: ${ASSUMPTION_IDS.join(', ')}.`,
      });
    }
    const value = ASSUMPTIONS[id].parse(text);
    if (value === undefined) {
      throw new Refusal(
        'INVALID_REQUEST',
        `Assumption ${id} must be ${ASSUMPTIONS[id].choices}; got ${text}.`,
      );
    }
    values[id] = value;
  }
  return values as AssumptionChoices;
}

export function describeAssumption(id: AssumptionId, assumed: AssumptionChoices) {
  const { section, question, reason, choices, format, fallback } = ASSUMPTIONS[id] as AssumptionOf<
    string | number
  >;
  return { id, section, question, value: format(assumed[id]), default: format(fallback), choices, reason };
}

export function isChoice(id: AssumptionId, value: unknown): boolean {
  const { parse, format, fallback } = ASSUMPTIONS[id] as AssumptionOf<unknown>;
  if (
    typeof value !== typeof fallback ||
    (typeof value === 'number' && !(Number.isSafeInteger(value) && value >= 0))
  )
    return false;
  return parse(format(value)) === value;
}

/** Result of observing an assumption in the TEST environment. `value` is null for fixed assumptions. */
export interface ObservedAssumption {
  /** The date, e.g. 2026-01-31. */
  readonly on: string;
  readonly value: string | null;
  readonly matches: boolean;
}

/** Describes an assumption for display; `choices` is null for fixed assumptions. */
export type AssumptionLine = Readonly<
  Record<'id' | 'section' | 'question' | 'value' | 'default' | 'reason', string> & {
    choices: string | null;
    observed: ObservedAssumption | null;
  }
>;

/** Lists all assumptions, starting with configurable assumptions, with the observations of a parity probe. */
export function listAssumptions(
  assumed: AssumptionChoices,
  observations: Readonly<Record<string, ObservedAssumption>> = {},
): AssumptionLine[] {
  const observedOf = (id: string, value: string) => {
    const found = observations[id];
    if (found === undefined) return null;
    return { ...found, matches: found.matches && (found.value ?? value) === value };
  };
  const fixed = Object.entries(FIXED_ASSUMPTIONS).map(([id, { section, question, value, reason }]) => {
    return {
      id,
      section,
      question,
      value,
      default: value,
      choices: null,
      reason,
      observed: observedOf(id, value),
    };
  });
  const configurable = ASSUMPTION_IDS.map((id) => {
    const line = describeAssumption(id, assumed);
    return Object.assign(line, { observed: observedOf(id, line.value) });
  });
  return [...configurable, ...fixed];
}
