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
  Requests: [
    row('request body (public API and identity API)', TOO_LARGE, bytes, 'bodyBytes'),
    row('request body (control API)', TOO_LARGE, bytes, 'controlBodyBytes'),
    row('imported state', TOO_LARGE, bytes, 'stateBodyBytes'),
    row('request header lines', '431 `HEADERS_TOO_LARGE`', number, 'requestHeaders'),
    row('JSON nesting depth', INVALID, (depth) => `${depth} levels`, 'jsonDepth'),
    row('`code` (printable characters without spaces)', INVALID, characters, 'codeLength'),
    row('`payer_name` and other names', INVALID, characters, 'nameLength'),
    row('endpoint `description`', INVALID, characters, 'descriptionLength'),
    row('endpoint `url`', INVALID, characters, 'urlLength'),
    row(
      '`metadata`',
      INVALID,
      (keys, key, value) => `${keys} keys of 1 to ${key} characters, values of up to ${value} characters`,
      'metadataKeys',
      'metadataKeyLength',
      'metadataValueLength',
    ),
    row(
      '`limit` (page size)',
      INVALID,
      (most, usual) => `1 to ${most}; default ${usual}`,
      'pageSizeMax',
      'pageSizeDefault',
    ),
    row('`X-Nonce`', '401 `SIGNATURE_INVALID`', range, 'nonceLengthMin', 'nonceLengthMax'),
    row('`Idempotency-Key`', INVALID, range, 'idempotencyKeyLengthMin', 'idempotencyKeyLengthMax'),
    row('endpoints per application', '409 `ENDPOINT_LIMIT_REACHED`', number, 'endpointsPerApp'),
  ],
  Deliveries: [
    row('recommended response time', 'marked as slow by `listen`', formatDuration, 'advisedResponseMs'),
    row('attempt duration', 'the attempt fails with `TIMEOUT`', formatDuration, 'attemptTimeoutMs'),
    row('concurrent attempts per endpoint', 'further attempts wait', number, 'attemptsInFlightPerEndpoint'),
    row(
      'validity of the previous secret after a rotation',
      'the secret is no longer used',
      formatDuration,
      'previousSecretMs',
    ),
    row('stored receiver response', 'the response is truncated', bytes, 'responseBytes'),
    row(
      'stored finished deliveries, and events without deliveries',
      'the oldest are dropped; `status` shows the dropped count',
      (usual, most) => `${number(usual)}, or the value of \`--keep-deliveries\`, up to ${number(most)}`,
      'deliveriesKept',
      'deliveriesKeptMax',
    ),
    row('stored attempts per delivery', 'older attempts are dropped', newest, 'attemptsKept'),
    row(
      'deliveries with full attempt details',
      'older deliveries store only the outcome',
      newest,
      'attemptDetailsKept',
    ),
    row('attempts shown by the test receiver', 'older attempts are dropped', newest, 'receiverKept'),
  ],
  'The sandbox': [
    row('requests in the request log', 'older requests are dropped', newest, 'callsKept'),
    row('stored request or response body', 'the body is truncated', bytes, 'callBodyBytes'),
    row('timeline entries', 'older entries are dropped', newest, 'timelineKept'),
    row('timeline or log entries per response', INVALID, number, 'timelineEntries'),
    row('characters in a timeline filter', INVALID, number, 'filterLength'),
    row('named snapshots', INVALID, number, 'snapshots'),
    row('active faults', INVALID, number, 'faults'),
    row('delay caused by a fault', INVALID, formatDuration, 'faultDelayMs'),
    row('application restart triggered by a fault', 'the attempt fails', formatDuration, 'restartMs'),
    row('events per `trigger`', INVALID, number, 'triggerCount'),
    row(
      'overrides per `trigger`',
      INVALID,
      (most, depth, index) => `${most}, paths of up to ${depth} parts, indexes up to ${number(index)}`,
      'overrides',
      'overrideDepth',
      'overrideIndex',
    ),
    row(
      'overrides per `trigger`, as JSON',
      INVALID,
      (one, all) => `${number(one)} characters; ${number(all)} when multiplied by the number of events`,
      'overrideCharacters',
      'overrideCharactersInAll',
    ),
    row('agenda entries per response', INVALID, number, 'agendaEntries'),
    row(
      '`report`',
      'newer steps are left out; the report counts them',
      (steps, exchanges) => `${steps} steps, ${exchanges} requests and deliveries`,
      'reportSteps',
      'reportExchanges',
    ),
    row('state differences per response', 'further differences are only counted', number, 'stateDifferences'),
    row('clock rate', INVALID, (rate) => `${number(rate)} times real time`, 'clockRate'),
  ],
  'Sandboxes reachable from other machines': [
    row(
      'configured token or secret',
      '`start` refuses the value',
      (least, most, variety) => `${range(least, most)}, at least ${variety} different characters`,
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
      return [`## ${heading}`, '', '| Item | Limit | If exceeded |', '|---|---|---|', ...lines].join('\n');
    })
    .join('\n\n');
}
