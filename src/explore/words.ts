import type { FaultFields, Point } from './explore.js';
import { kindOf } from './kinds.js';

const ORDINALS = ['', 'first', 'second', 'third'];

function ordinal(number: number): string {
  return ORDINALS[number] ?? `${number}th`;
}

/** Something that a fault or a point is aimed at. */
interface Aimed {
  readonly on?: string | undefined;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  readonly path?: string | undefined;
  readonly event?: string | undefined;
  readonly endpoint?: string | null | undefined;
  readonly attempt?: number | undefined;
  readonly code?: string | null | undefined;
  readonly resource?: number | null | undefined;
  readonly nth?: number | undefined;
}

function subject({ code, resource, event }: Aimed): string {
  if (code != null) return ` of ${code}`;
  if (resource == null) return '';
  const type = event?.startsWith('withdrawal.') === true ? 'withdrawal' : 'charge';
  return ` of the ${ordinal(resource)} ${type}`;
}

function aimText(aimed: Aimed): string {
  const { on, method, route, path, event, endpoint, attempt = 1, nth = 1 } = aimed;
  if (on === 'call') {
    const which = nth === 1 ? '' : `the ${ordinal(nth)} `;
    return `${which}${[method, route ?? path].filter((part) => part !== undefined).join(' ')}${subject(aimed)}`;
  }
  const where = endpoint == null ? '' : ` to ${endpoint}`;
  const which = attempt === 1 ? '' : `attempt ${attempt} of `;
  const again = nth === 1 ? '' : `, the ${ordinal(nth)} time`;
  return `${which}${event ?? 'an event'}${subject(aimed)}${where}${again}`;
}

/** A point in words, such as `pix.settled of order-1`. */
export function pointText(point: Point): string {
  return aimText(point);
}

/** A fault in words, such as `pix.settled of order-1 is delivered twice`. */
export function faultText(fault: FaultFields): string {
  const { status, copies = 1, parallel = false } = fault;
  const kind = kindOf(fault);
  const words =
    fault.action === 'duplicate' ? duplicateText(copies, parallel) : (kind?.words ?? `gets ${fault.action}`);
  const text = `${aimText(fault)} ${words}`;
  return kind === undefined && status !== undefined ? `${text} ${status}` : text;
}

function duplicateText(copies: number, isParallel: boolean): string {
  const times = copies === 1 ? 'twice' : `${copies + 1} times`;
  return `is delivered ${times}${isParallel ? ' concurrently' : ''}`;
}
