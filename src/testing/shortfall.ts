import type { DeliveryLine, EventLine } from '../http/control/schema.js';
import type { SandboxVerbs } from './api.js';

const MOST_SHOWN = 5;
const MOST_CHARACTERS = 200;

/** The start of a text on one line, without control characters. */
export function startOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * MOST_CHARACTERS + 2));
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : line;
}

/** The first lines, and how many more there are. */
export function someLines(lines: readonly string[]): string {
  const left = lines.length - MOST_SHOWN;
  const shown = left > 0 ? [...lines.slice(0, MOST_SHOWN), `  … ${left} more`] : lines;
  return shown.map((line) => `\n${line}`).join('');
}

/** How the deliveries that did not arrive were answered, and which events there are; both newest first. */
export async function shortfall(sandbox: SandboxVerbs, failed: readonly DeliveryLine[]): Promise<string> {
  const [answers, events, deliveries] = await Promise.all([
    Promise.all(failed.map((line, index) => answerLine(sandbox, line, index < MOST_SHOWN))),
    sandbox.events.list(),
    sandbox.deliveries.list(),
  ]);
  if (events.length === 0) return '\nNo event happened.';
  const lines = events.map((event) => eventText(event, deliveries));
  return `${someLines(answers)}\nThe events there are, newest first:${someLines(lines)}`;
}

/** A delivery with the status and the start of the body of its last answer, which is fetched only to be shown. */
async function answerLine(sandbox: SandboxVerbs, line: DeliveryLine, isShown: boolean): Promise<string> {
  const { id, status, attempts, last_error, last_response_status } = line;
  const delivery = isShown ? await sandbox.deliveries.get(id) : undefined;
  const body = startOf(delivery?.attempt_log.at(-1)?.response?.body ?? '');
  const answer = [last_error, last_response_status, body].filter((part) => part !== null && part !== '');
  return `  ${status} after ${attempts} attempts: ${answer.join(' ')}`;
}

function eventText({ id, type, resource }: EventLine, deliveries: readonly DeliveryLine[]): string {
  const own = deliveries.filter(({ event_id }) => event_id === id).map(({ status }) => status);
  return `  ${type} of ${resource.code}: ${own.join(', ') || 'nothing receives it'}`;
}
