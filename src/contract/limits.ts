import { BROWSER_LIMITS } from './browser-limits.js';

/** Limits and their contract sections. A limit without a section is specific to the sandbox. */
export const LIMITS = {
  ...BROWSER_LIMITS,
  /** §8: maximum webhook endpoints per application, in any status. */
  endpointsPerApp: 10,
  /** §8: maximum and default list page sizes. */
  pageSizeMax: 50,
  pageSizeDefault: 25,
  /** §8: timeout for an attempt's final response headers. */
  attemptTimeoutMs: 10_000,
  /** §6 rule 4: recommended receiver response time. */
  advisedResponseMs: 2_000,
  /** §8: validity period of the previous secret after a rotation. */
  previousSecretMs: 86_400_000,
  /** §5.2: X-Nonce length. */
  nonceLengthMin: 16,
  nonceLengthMax: 128,
  /** §8: length of the identity API's Idempotency-Key, in printable ASCII characters. */
  idempotencyKeyLengthMin: 16,
  idempotencyKeyLengthMax: 255,
  /** Maximum length of a payment's `code`. */
  codeLength: 100,
  nameLength: 140,
  descriptionLength: 500,
  urlLength: 2_048,
  metadataKeys: 50,
  metadataKeyLength: 40,
  metadataValueLength: 500,
  /**
   * Requirements for custom tokens and secrets if other machines can reach the sandbox: length, and minimum
   * number of distinct characters.
   */
  exposedSecretLengthMin: 24,
  exposedSecretLengthMax: 255,
  exposedSecretVarietyMin: 8,
  /** Maximum request body size, in bytes. */
  bodyBytes: 256 * 1024,
  controlBodyBytes: 1024 * 1024,
  /** Maximum header lines per request to any sandbox server, counting repeated headers. */
  requestHeaders: 100,
  /** Maximum size of an imported state in bytes, enough for 35,000 charges with their deliveries. */
  stateBodyBytes: 64 * 1024 * 1024,
  /** Maximum number of named snapshots. */
  snapshots: 32,
  /** Maximum state differences per response. */
  stateDifferences: 1_000,
  /** Maximum stored bytes of a receiver's response. */
  responseBytes: 16 * 1024,
  /**
   * Default and maximum number of retained finished deliveries, and of retained events without a delivery.
   * The default uses about 150 MB.
   */
  deliveriesKept: 100_000,
  deliveriesKeptMax: 10_000_000,
  /** Maximum stored attempts per delivery; the oldest are dropped. */
  attemptsKept: 32,
  /** Maximum requests in the request log; the oldest are dropped. */
  callsKept: 1_000,
  /** Maximum bytes stored per request or response body in the request log. */
  callBodyBytes: 16 * 1024,
  /** Maximum length of a timeline filter. */
  filterLength: 500,
  /** Maximum deliveries with stored attempt latencies and responses; the oldest are dropped. */
  attemptDetailsKept: 2_000,
  /** Maximum steps, and maximum requests and deliveries, in a `report`; the newest are left out. */
  reportSteps: 500,
  reportExchanges: 100,
  /** Maximum attempts shown by the test receiver; the oldest are dropped. */
  receiverKept: 200,
  /** Maximum attempts in flight per endpoint, so a slow endpoint doesn't delay other endpoints. */
  attemptsInFlightPerEndpoint: 64,
  /** Maximum number of faults. */
  faults: 200,
  /** Maximum fault delay, in milliseconds of real time. */
  faultDelayMs: 60_000,
  /** Maximum real time for a restarted application to start listening, in milliseconds. */
  restartMs: 30_000,
  /** Maximum clock speed as a multiple of real time; timers can't run faster. */
  clockRate: 100_000,
  /** Maximum entries per agenda response. */
  agendaEntries: 1_000,
  /** Maximum events created by one `trigger`. */
  triggerCount: 10_000,
  /** Maximum overrides per `trigger`, segments per path, and array index in a path. */
  overrides: 200,
  overrideDepth: 64,
  overrideIndex: 9_999,
  /**
   * Maximum JSON length of a `trigger`'s overrides, and maximum product of that length and the number of
   * events.
   */
  overrideCharacters: 256 * 1024,
  overrideCharactersInAll: 8 * 1024 * 1024,
} as const;

/** Lists the delays before attempts 1 to 8 in milliseconds (§8). `fast` and `off` are for interactive use. */
export const RETRY_SCHEDULES = {
  real: [0, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
  fast: [0, 500, 1_000, 1_500, 2_000, 3_000, 3_000, 4_000],
  off: [0],
} as const satisfies Record<string, readonly number[]>;

const HOUR_MS = 3_600_000;
/** Duration of the `real` schedule in hours, rounded up. */
export const RETRY_HOURS = Math.ceil(
  RETRY_SCHEDULES.real.reduce((sum: number, waitMs) => sum + waitMs, 0) / HOUR_MS,
);

export type RetrySchedule = keyof typeof RETRY_SCHEDULES;
