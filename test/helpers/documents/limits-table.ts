import { LIMITS } from '../../../src/contract/limits.js';
import { formatDuration } from '../../../src/contract/time.js';

type LimitName = keyof typeof LIMITS;

/** A row of the guide to limits: what is limited, the limits that it shows, how they read, and what comes of more. */
interface Row {
  readonly what: string;
  readonly names: readonly LimitName[];
  readonly shown: string;
  readonly beyond: string;
}

function row(
  what: string,
  beyond: string,
  shown: (...limits: number[]) => string,
  ...names: LimitName[]
): Row {
  return { what, names, shown: shown(...names.map((name) => LIMITS[name])), beyond };
}

const number = (count = 0) => count.toLocaleString('en-US');
const characters = (most = 0) => `1 to ${number(most)} characters`;
const range = (least = 0, most = 0) => `${number(least)} to ${number(most)} characters`;
const newest = (count = 0) => `the newest ${number(count)}`;

function bytes(count = 0): string {
  const kibibytes = count / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}

const INVALID = '400 `INVALID_REQUEST`';
const TOO_LARGE = '413 `PAYLOAD_TOO_LARGE`';

/** By heading; every limit stands in one row. */
export const LIMIT_ROWS: Readonly<Record<string, readonly Row[]>> = {
  'What requests may hold': [
    row('body, public API and identity API', TOO_LARGE, bytes, 'bodyBytes'),
    row('body, control API', TOO_LARGE, bytes, 'controlBodyBytes'),
    row('body of an imported state', TOO_LARGE, bytes, 'stateBodyBytes'),
    row('header lines', '431 `HEADERS_TOO_LARGE`', number, 'requestHeaders'),
    row('depth of JSON', INVALID, (depth) => `${depth} levels`, 'jsonDepth'),
    row('`code`, printable and without space', INVALID, characters, 'codeLength'),
    row('`payer_name` and other names', INVALID, characters, 'nameLength'),
    row('`description` of an endpoint', INVALID, characters, 'descriptionLength'),
    row('`url` of an endpoint', INVALID, characters, 'urlLength'),
    row(
      '`metadata`',
      INVALID,
      (keys, key, value) => `${keys} keys of 1 to ${key} characters, values of up to ${value}`,
      'metadataKeys',
      'metadataKeyLength',
      'metadataValueLength',
    ),
    row(
      '`limit` of a page',
      INVALID,
      (most, usual) => `1 to ${most}; ${usual} without it`,
      'pageSizeMax',
      'pageSizeDefault',
    ),
    row('`X-Nonce`', '401 `SIGNATURE_INVALID`', range, 'nonceLengthMin', 'nonceLengthMax'),
    row('`Idempotency-Key`', INVALID, range, 'idempotencyKeyLengthMin', 'idempotencyKeyLengthMax'),
    row('endpoints of an application', '409 `ENDPOINT_LIMIT_REACHED`', number, 'endpointsPerApp'),
  ],
  Deliveries: [
    row('advised response time', '`listen` marks it as slow', formatDuration, 'advisedResponseMs'),
    row('time of an attempt', 'the attempt has failed: `TIMEOUT`', formatDuration, 'attemptTimeoutMs'),
    row('attempts in flight to one endpoint', 'the next one waits', number, 'attemptsInFlightPerEndpoint'),
    row('old secret after a rotation', 'it no longer signs', formatDuration, 'previousSecretMs'),
    row('response of a receiver', 'the rest is dropped', bytes, 'responseBytes'),
    row(
      'finished deliveries, and events without one',
      'the oldest are dropped, and `status` says how many',
      (usual, most) => `${number(usual)}, or as many as \`--keep-deliveries\` says, up to ${number(most)}`,
      'deliveriesKept',
      'deliveriesKeptMax',
    ),
    row('attempts kept of a delivery', 'older ones are dropped', newest, 'attemptsKept'),
    row(
      'deliveries with stored headers and responses of attempts',
      'of older ones the outcome stays',
      newest,
      'attemptDetailsKept',
    ),
    row('attempts that the test receiver shows', 'older ones are dropped', newest, 'receiverKept'),
  ],
  'The sandbox': [
    row('calls in the call log', 'older ones are dropped', newest, 'callsKept'),
    row('stored body of a request or response', 'the rest is dropped', bytes, 'callBodyBytes'),
    row('entries of the timeline', 'older ones are dropped', newest, 'timelineKept'),
    row('entries in one response of the timeline or the log', INVALID, number, 'timelineEntries'),
    row('characters of a filter of the timeline', INVALID, number, 'filterLength'),
    row('named snapshots', INVALID, number, 'snapshots'),
    row('faults in force', INVALID, number, 'faults'),
    row('delay by a fault', INVALID, formatDuration, 'faultDelayMs'),
    row('restart of the application by a fault', 'the attempt fails', formatDuration, 'restartMs'),
    row('events of one `trigger`', INVALID, number, 'triggerCount'),
    row(
      'overrides of one `trigger`',
      INVALID,
      (most, depth, index) => `${most}, paths of up to ${depth} parts, indexes up to ${number(index)}`,
      'overrides',
      'overrideDepth',
      'overrideIndex',
    ),
    row(
      'overrides of one `trigger`, as JSON',
      INVALID,
      (one, all) => `${number(one)} characters; times the events, ${number(all)}`,
      'overrideCharacters',
      'overrideCharactersInAll',
    ),
    row('entries in one response of the agenda', INVALID, number, 'agendaEntries'),
    row('differences of two states in one response', 'they are counted', number, 'stateDifferences'),
    row('speed of the clock', INVALID, (rate) => `${number(rate)} times real time`, 'clockRate'),
  ],
  'Where others can reach the sandbox': [
    row(
      'a token or secret that is given',
      '`start` refuses it',
      (least, most, variety) => `${range(least, most)}, at least ${variety} different`,
      'exposedSecretLengthMin',
      'exposedSecretLengthMax',
      'exposedSecretVarietyMin',
    ),
  ],
};

/** The tables of the guide. */
export function limitsMarkdown(): string {
  return Object.entries(LIMIT_ROWS)
    .map(([heading, rows]) => {
      const lines = rows.map(({ what, shown, beyond }) => `| ${what} | ${shown} | ${beyond} |`);
      return [`## ${heading}`, '', '| What | Limit | Beyond it |', '|---|---|---|', ...lines].join('\n');
    })
    .join('\n\n');
}
