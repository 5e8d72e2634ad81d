import type { Metadata } from '../world.js';

const NONE: Metadata = Object.freeze({});

/** One object for all that have none. */
export function sharedMetadata(metadata: Metadata): Metadata {
  return Object.keys(metadata).length === 0 ? NONE : metadata;
}
