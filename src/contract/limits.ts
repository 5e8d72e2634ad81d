import { BROWSER_LIMITS } from './browser-limits.js';

/** The limits of the service and of the sandbox, with unit and source. */
export const LIMITS = {
  ...BROWSER_LIMITS,
  /** §8: webhook endpoints per application, whatever their status. */
  endpointsPerApp: 10,
  /** §8: page size of lists. */
  pageSizeMax: 50,
  pageSizeDefault: 25,
  /** §8: an attempt fails without final response headers by then. */
  attemptTimeoutMs: 10_000,
  /** §6 rule 4: advised response time of a receiver. */
  advisedResponseMs: 2_000,
  /** §8: how long the secret before a rotation stays valid. */
  previousSecretMs: 86_400_000,
  /** §5.2: X-Nonce. */
  nonceLengthMin: 16,
  nonceLengthMax: 128,
  /** §8: Idempotency-Key of the identity API, printable ASCII. */
  idempotencyKeyLengthMin: 16,
  idempotencyKeyLengthMax: 255,
  /** Ours: length of a charge's or withdrawal's `code`. */
  codeLength: 100,
  nameLength: 140,
  descriptionLength: 500,
  urlLength: 2_048,
  metadataKeys: 50,
  metadataKeyLength: 40,
  metadataValueLength: 500,
  /**
   * Ours: the least characters, and different characters, of a chosen token or secret when other machines can
   * reach the sandbox.
   */
  exposedSecretLengthMin: 24,
  exposedSecretLengthMax: 255,
  exposedSecretVarietyMin: 8,
  /** Ours: request bodies, in bytes. */
  bodyBytes: 256 * 1024,
  controlBodyBytes: 1024 * 1024,
  /** Ours: header lines of one request to any server of ours, each repetition counted. */
  requestHeaders: 100,
  /**
   * Ours: the text of an imported state, in bytes, enough for 35,000 charges with their deliveries; and that
   * of one row of it.
   */
  stateBodyBytes: 64 * 1024 * 1024,
  /** Ours: named snapshots at a time. */
  snapshots: 32,
  /** Ours: differences between two states in one response. */
  stateDifferences: 1_000,
  /** Ours: stored part of a receiver's response, in bytes. */
  responseBytes: 16 * 1024,
  /**
   * Ours: default number of finished deliveries to keep, and of events without a delivery; some 150 MB. Also
   * the largest setting.
   */
  deliveriesKept: 100_000,
  deliveriesKeptMax: 10_000_000,
  /** Ours: attempts remembered for each delivery; the newest stay. */
  attemptsKept: 32,
  /** Ours: calls in the call log; the newest stay. */
  callsKept: 1_000,
  /**
   * Ours: stored part of a request or response body in the request log, and of all bodies together, in bytes.
   */
  callBodyBytes: 16 * 1024,
  /** Ours: characters of a filter of the timeline. */
  filterLength: 500,
  /** Ours: deliveries with stored latency and response of attempts; the newest remain. */
  attemptDetailsKept: 2_000,
  /** Ours: attempts shown by the test receiver; the newest remain. */
  receiverKept: 200,
  /** Ours: attempts in flight to one endpoint, so that a slow endpoint does not delay the others. */
  attemptsInFlightPerEndpoint: 64,
  /** Ours: faults at a time. */
  faults: 200,
  /** Ours: the longest delay by a fault, in milliseconds of real time. */
  faultDelayMs: 60_000,
  /** Ours: real time in which a restarted application has to listen, in milliseconds. */
  restartMs: 30_000,
  /** Ours: the highest speed of the clock, as a multiple of real time; timers cannot keep up with more. */
  clockRate: 100_000,
  /** Ours: entries in one response of the agenda. */
  agendaEntries: 1_000,
  /** Ours: events made by one `trigger`. */
  triggerCount: 10_000,
  /** Ours: overrides of one `trigger`; the parts of a path; the highest index in one. */
  overrides: 200,
  overrideDepth: 64,
  overrideIndex: 9_999,
  /** Ours: characters of the overrides of one `trigger` as JSON; and of that length times the number of its events. */
  overrideCharacters: 256 * 1024,
  overrideCharactersInAll: 8 * 1024 * 1024,
} as const;

/** The waits before attempts 1 to 8 (§8), and two shorter schedules for interactive use. In milliseconds. */
export const RETRY_SCHEDULES = {
  real: [0, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
  fast: [0, 500, 1_000, 1_500, 2_000, 3_000, 3_000, 4_000],
  off: [0],
} as const satisfies Record<string, readonly number[]>;

const HOUR_MS = 3_600_000;
/** The hours from the first attempt to the last of the real schedule, rounded up. */
export const RETRY_HOURS = Math.ceil(
  RETRY_SCHEDULES.real.reduce((sum: number, waitMs) => sum + waitMs, 0) / HOUR_MS,
);

export type RetrySchedule = keyof typeof RETRY_SCHEDULES;
