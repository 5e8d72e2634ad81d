import { objectOf } from '../json-forms.js';
import { type Mistake, mistake, type Subject, type Variant, variantsOf, withRare } from '../mistake.js';

/** The times of a delivery's attempts after the first one (§8). */
const ATTEMPT_DISTANCES_S = [60, 360, 2160, 9360, 30_960, 74_160, 160_560] as const;
const JITTERS_S = [-2, -1, 1, 2] as const;

/** Mistakes about the time that only a webhook can have. */
export const WEBHOOK_TIMESTAMP_MISTAKES: readonly Mistake[] = [
  mistake(
    'timestamp-of-body',
    'The timestamp of the event, in the body, was signed in place of webhook-timestamp.',
    'Sign the text of webhook-timestamp; the body has the time of the event, not of the attempt.',
    timestampsInBody,
  ),
  withRare(
    mistake(
      'timestamp-of-earlier-attempt',
      'The signature of an earlier attempt was sent again with a new timestamp.',
      'Create a new timestamp and signature for each attempt.',
      ({ seconds }) => earlierAttempts(seconds, [0]),
    ),
    ({ seconds }) => earlierAttempts(seconds, JITTERS_S),
  ),
  mistake(
    'timestamp-is-header-name',
    'The name of the header was signed, not its value.',
    'Sign the text of webhook-timestamp.',
    () => variantsOf('timestamp', ['webhook-timestamp', 'webhook_timestamp', 'timestamp']),
  ),
];

function timestampsInBody({ json }: Subject): Variant[] {
  const envelope = objectOf(json?.value);
  const text = envelope?.['timestamp'] ?? envelope?.['created_at'];
  if (typeof text === 'number') return variantsOf('timestamp', [String(text)]);
  if (typeof text !== 'string') return [];
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return variantsOf('timestamp', [text]);
  return variantsOf('timestamp', [text, String(Math.floor(ms / 1000)), String(ms)]);
}

function earlierAttempts(seconds: number | undefined, shiftsS: readonly number[]): Variant[] {
  if (seconds === undefined) return [];
  return ATTEMPT_DISTANCES_S.flatMap((distanceS) =>
    shiftsS.map((shiftS) => ({
      change: { timestamp: String(seconds - distanceS - shiftS) },
      detail: `about ${distanceS} s earlier`,
    })),
  );
}
