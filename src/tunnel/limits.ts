/** Real times of a tunnel, in milliseconds, and how often what is tried. */
export const TUNNEL_LIMITS = {
  /** The relay's answer to being asked for a tunnel, and one connection to it. */
  relayMs: 10_000,
  /** One request through the public URL. */
  probeMs: 5_000,
  /** From the relay's grant until the public URL leads here. */
  readyMs: 15_000,
  /** How often the public URL is tried within that time. */
  readyProbes: 8,
  /** How often an open tunnel is looked at, and how soon again when it did not answer. */
  healthMs: 30_000,
  recheckMs: 2_000,
  /** Probes in a row without an answer, after which an open tunnel counts as broken. */
  misses: 2,
  /** What has stood so long has worked; what breaks sooner counts as a further failed try. */
  steadyMs: 60_000,
  /** Tries until the first opening, and for each time that an open tunnel breaks. */
  triesFirst: 5,
  triesAgain: 10,
  /** The wait after the first failed try; it doubles up to the longest. */
  waitMs: 1_000,
  waitMaxMs: 32_000,
  /** A connection that ends sooner and has carried nothing was refused in effect. */
  idleLinkMs: 10_000,
  /** The wait before such a connection is made again, and how many for each connection of the grant are enough. */
  linkWaitMs: 300,
  linkFailures: 3,
} as const;

export type TunnelLimits = Readonly<Record<keyof typeof TUNNEL_LIMITS, number>>;
