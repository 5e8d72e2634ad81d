/** A secret that the diagnosis may try. Without a note it counts as current. */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other';
}
