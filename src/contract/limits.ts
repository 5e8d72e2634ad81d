/** Every limit of the service and of the sandbox, with its unit and where it comes from. */
export const LIMITS = {
  /** §8: webhook endpoints per application, whatever their status. */
  endpointsPerApp: 10,
  /** §8: page size of lists. */
  pageSizeMax: 50,
  pageSizeDefault: 25,
  /** §8: an attempt that has no final response headers by then has failed. */
  attemptTimeoutMs: 10_000,
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
  /** Ours: what a token or secret that is given must have where others can reach the sandbox: characters, and how many different ones. */
  exposedSecretLengthMin: 24,
  exposedSecretLengthMax: 255,
  exposedSecretVarietyMin: 8,
  /**
   * Ours: how long the first wrong bearer of an address waits for its answer, in milliseconds of real time, doubled for each
   * further one up to the most; after how long an address starts anew; and how many addresses are remembered.
   */
  failedBearerDelayMs: 100,
  failedBearerDelayMaxMs: 5_000,
  failedBearerMemoryMs: 600_000,
  failedBearerAddresses: 1_000,
  /** Ours: bodies of requests to the doors, in bytes. */
  bodyBytes: 256 * 1024,
  controlBodyBytes: 1024 * 1024,
  jsonDepth: 32,
  /** Ours: header lines of one request to any server of ours, each repetition counted. */
  requestHeaders: 100,
  /** Ours: the body of a state that is imported, in bytes: some hundred thousand charges. */
  stateBodyBytes: 256 * 1024 * 1024,
  /** Ours: named snapshots at a time. */
  snapshots: 32,
  /** Ours: how much of a receiver's answer is read and kept, in bytes. */
  responseBytes: 16 * 1024,
  /** Ours: attempts remembered for each delivery; the newest stay. */
  attemptsKept: 32,
  /** Ours: calls in the call log; the newest stay. */
  callsKept: 1_000,
  /** Ours: log entries in one answer, more than can happen while a stream opens. */
  logEntries: 2_000,
  /** Ours: deliveries whose attempts are kept with latency and answer; the newest stay. */
  attemptDetailsKept: 2_000,
  /** Ours: attempts in flight to one endpoint at a time, so that a slow one does not hold up the others. */
  attemptsInFlightPerEndpoint: 64,
  /** Ours: faults at a time. */
  faults: 200,
  /** Ours: how much real time a fault may take, in milliseconds. */
  faultDelayMs: 60_000,
  /** Ours: how many times faster than real time the clock may run; timers cannot follow beyond. */
  clockRate: 100_000,
  /** Ours: events made by one `trigger`. */
  triggerCount: 10_000,
  /** Ours: overrides of one `trigger`; the parts of a path; the highest index in one. */
  overrides: 200,
  overrideDepth: 64,
  overrideIndex: 9_999,
  /** Ours: the overrides of one `trigger` as JSON, and the same times the events that it makes, in characters. */
  overrideCharacters: 256 * 1024,
  overrideCharactersInAll: 8 * 1024 * 1024,
} as const;

/** The waits before attempts 1 to 8 (§8), and two shorter schedules for people who watch. In milliseconds. */
export const RETRY_SCHEDULES = {
  real: [0, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
  fast: [0, 500, 1_000, 1_500, 2_000, 3_000, 3_000, 4_000],
  off: [0],
} as const satisfies Record<string, readonly number[]>;

export type RetrySchedule = keyof typeof RETRY_SCHEDULES;
