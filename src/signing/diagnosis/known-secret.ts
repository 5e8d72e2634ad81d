/** A secret that the diagnosis may try. Without a note it counts as current; a `credential` has another purpose, such as a token. */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other' | 'credential';
}
