import { readFileSync } from 'node:fs';
import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { readBody } from '../core/input/body.js';
import { FAULT } from '../core/webhooks/fault-input.js';
import { choose, list } from '../schema/compound.js';
import { optional } from '../schema/fields.js';
import { object } from '../schema/object.js';
import { text } from '../schema/values.js';
import { messageOf } from '../text/errors.js';

/** Faults of a file, as the control API takes them, and the seed with which they were found. */
export interface FaultFile {
  readonly faults: readonly { readonly action: string }[];
  readonly seed?: string | undefined;
  /** What they are about, in words. */
  readonly about?: string | undefined;
}

const FAULTS = list(FAULT, { most: LIMITS.faults });
const WHOLE = object('a file of faults', { faults: FAULTS, seed: optional(text()), about: optional(text()) });
/** A list of faults, or `{"faults": […], "seed"?: "…", "about"?: "…"}`. */
export const FAULT_FILE = choose('a list of faults', [FAULTS, WHOLE], (value) =>
  Array.isArray(value) ? FAULTS : WHOLE,
);
const HINT =
  'Give a list of faults such as [{"action":"duplicate","event":"pix.settled"}], or an object with it as "faults".';

/** Reads a file that holds a list of faults, or `{"faults": […], "seed"?: "…", "about"?: "…"}`; refuses (INVALID_REQUEST) any other. */
export function readFaultFile(path: string): FaultFile {
  const refuse = (why: string): never => {
    throw new Refusal('INVALID_REQUEST', `The fault file ${path} ${why}`, { hint: HINT });
  };
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    readBody(FAULT_FILE, json);
    return Array.isArray(json) ? { faults: json } : (json as FaultFile);
  } catch (error) {
    if (!(error instanceof Refusal)) return refuse(`cannot be read: ${messageOf(error)}`);
    const wrong = error.details.map(({ field, message }) => `${field}: ${message}`);
    return refuse(`is not valid: ${wrong.length === 0 ? error.message : wrong.join(' ')}`);
  }
}
