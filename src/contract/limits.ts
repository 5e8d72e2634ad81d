import { BROWSER_LIMITS } from './browser-limits.js';

/** Limits with their unit and contract section; those without a section are the sandbox's own. */
export const LIMITS = {
  ...BROWSER_LIMITS,
  /** §8: webhook endpoints per application, in any status. */
  endpointsPerApp: 10,
  /** §8: page size of lists. */
  pageSizeMax: 50,
  pageSizeDefault: 25,
  /** §8: timeout for the final response headers of an attempt. */
  attemptTimeoutMs: 10_000,
  /** §6 rule 4: recommended response time of a receiver. */
  advisedResponseMs: 2_000,
  /** §8: validity of the previous secret after a rotation. */
  previousSecretMs: 86_400_000,
  /** §5.2: length of X-Nonce. */
  nonceLengthMin: 16,
  nonceLengthMax: 128,
  /** §8: length of the identity API's Idempotency-Key, in printable ASCII. */
  idempotencyKeyLengthMin: 16,
  idempotencyKeyLengthMax: 255,
  /** Length of a payment's `code`. */
  codeLength: 100,
  nameLength: 140,
  descriptionLength: 500,
  urlLength: 2_048,
  metadataKeys: 50,
  metadataKeyLength: 40,
  metadataValueLength: 500,
  /**
   * Limits custom tokens and secrets if other machines can reach the sandbox: length, and distinct
   * characters.
   */
  exposedSecretLengthMin: 24,
  exposedSecretLengthMax: 255,
  exposedSecretVarietyMin: 8,
  /** Size of request bodies, in bytes. */
  bodyBytes: 256 * 1024,
  controlBodyBytes: 1024 * 1024,
  /** Header lines per request to any sandbox server, counting repetitions. */
  requestHeaders: 100,
  /** Size of an imported state in bytes, enough for 35,000 charges with their deliveries. */
  stateBodyBytes: 64 * 1024 * 1024,
  /** Number of named snapshots. */
  snapshots: 32,
  /** State differences per response. */
  stateDifferences: 1_000,
  /** Stored part of a receiver's response, in bytes. */
  responseBytes: 16 * 1024,
  /**
   * Default and maximum number of retained finished deliveries, and of events without a delivery. The default
   * uses about 150 MB.
   */
  deliveriesKept: 100_000,
  deliveriesKeptMax: 10_000_000,
  /** Stored attempts per delivery; the oldest are dropped. */
  attemptsKept: 32,
  /** Requests in the request log; the oldest are dropped. */
  callsKept: 1_000,
  /** Stored part of a request or response body in the request log, in bytes. */
  callBodyBytes: 16 * 1024,
  /** Length of a timeline filter. */
  filterLength: 500,
  /** Deliveries with stored attempt latencies and responses; the oldest are dropped. */
  attemptDetailsKept: 2_000,
  /** Attempts shown by the test receiver; the oldest are dropped. */
  receiverKept: 200,
  /** Attempts in flight per endpoint, so a slow endpoint doesn't delay the others. */
  attemptsInFlightPerEndpoint: 64,
  /** Number of faults. */
  faults: 200,
  /** Maximum fault delay, in milliseconds of real time. */
  faultDelayMs: 60_000,
  /** Real time for a restarted application to start listening, in milliseconds. */
  restartMs: 30_000,
  /** Maximum clock speed as a multiple of real time; timers can't run faster. */
  clockRate: 100_000,
  /** Entries per agenda response. */
  agendaEntries: 1_000,
  /** Events created by one `trigger`. */
  triggerCount: 10_000,
  /** Overrides per `trigger`, segments per path, and the highest index in a path. */
  overrides: 200,
  overrideDepth: 64,
  overrideIndex: 9_999,
  /** Length of a `trigger`'s overrides as JSON, and that length multiplied by the number of events. */
  overrideCharacters: 256 * 1024,
  overrideCharactersInAll: 8 * 1024 * 1024,
} as const;

/**
 * Lists the delays before attempts 1 to 8 in milliseconds (§8); two schedules are shorter, for interactive
 * use.
 */
export const RETRY_SCHEDULES = {
  real: [0, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
  fast: [0, 500, 1_000, 1_500, 2_000, 3_000, 3_000, 4_000],
  off: [0],
} as const satisfies Record<string, readonly number[]>;

const HOUR_MS = 3_600_000;
/** Hours from the first to the last attempt of the `real` schedule, rounded up. */
export const RETRY_HOURS = Math.ceil(
  RETRY_SCHEDULES.real.reduce((sum: number, waitMs) => sum + waitMs, 0) / HOUR_MS,
);

export type RetrySchedule = keyof typeof RETRY_SCHEDULES;
