import type { AttemptResult } from '../../../delivery/http-attempt.js';
import { oneLine } from '../../terminal/text.js';

/** Columns of a receiver's answer that a finding shows. */
const BODY_WIDTH = 200;

/** The start of a receiver's answer, such as `: the database is on fire`; empty if there was none. */
export function answerText(result: Pick<AttemptResult, 'response'> | undefined): string {
  const body = result?.response?.body;
  const text = body === undefined ? '' : oneLine(Buffer.from(body).toString('utf8'), BODY_WIDTH);
  return text === '' ? '' : `: ${text}`;
}
