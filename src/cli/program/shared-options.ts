import { FAILURE_REASON_CODES, FAILURE_REASONS } from '../../contract/failure-reasons.js';
import { EVENT_TYPES } from '../../core/world.js';
import { described, rows } from '../completion/sources.js';
import { oneOfOrUsage } from './closest.js';
import { choice, text, valued } from './options.js';

/** Which page of a list. */
export const PAGE = {
  limit: text('n', 'rows on the page, 1 to 50'),
  after: text('cursor', 'go on to older rows'),
  before: text('cursor', 'go back to newer rows'),
};

/** The application that is meant. */
export const APP = { app: text('app', 'the application, by id or name', rows('apps')) };

/** Why a payment fails. */
export const REASON = {
  reason: valued(
    { placeholder: 'code', description: 'SPI code, such as AC03', values: described(FAILURE_REASONS) },
    (given) => oneOfOrUsage('reason', given, FAILURE_REASON_CODES),
  ),
};

/** Only events of a type. */
export function eventType(description: string) {
  return choice('event', description, { what: 'event', of: EVENT_TYPES });
}
