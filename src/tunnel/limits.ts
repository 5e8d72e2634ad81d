/** Real times of a tunnel, in milliseconds, and numbers of tries. */
export const TUNNEL_LIMITS = {
  /** The relay's answer to a request for a tunnel, and one connection to it. */
  relayMs: 10_000,
  /** One request through the public URL. */
  probeMs: 5_000,
  /** From the relay's grant until the public URL leads here. */
  readyMs: 15_000,
  /** The interval between tries of the public URL within that time. */
  readyProbes: 8,
  /** The interval between checks of an open tunnel, and a shorter one after a check without an answer. */
  healthMs: 30_000,
  recheckMs: 2_000,
  /** Probes in a row without an answer, after which an open tunnel counts as broken. */
  misses: 2,
  /** A tunnel that stays open this long has worked; one that breaks sooner counts as another failed try. */
  steadyMs: 60_000,
  /** Tries until the tunnel first opens, and each time that an open tunnel breaks. */
  triesFirst: 5,
  triesAgain: 10,
  /** The wait after the first failed try; it doubles up to the maximum. */
  waitMs: 1_000,
  waitMaxMs: 32_000,
  /** A connection that ends sooner without carrying anything was effectively refused. */
  idleLinkMs: 10_000,
  /** The wait before retrying such a connection, and how many for each connection of the grant are too many. */
  linkWaitMs: 300,
  linkFailures: 3,
} as const;

export type TunnelLimits = Readonly<Record<keyof typeof TUNNEL_LIMITS, number>>;
