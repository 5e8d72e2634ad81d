import { LIMITS } from '../../../contract/limits.js';
import { rows, several } from '../../completion/sources.js';
import { declare } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { choice, duration, flag, otherwise, rest, text, valued } from '../../program/options.js';
import { APP, CALL_DOORS, EVENT_PATTERNS, method } from '../../program/shared-options.js';

const limit = valued(
  {
    placeholder: 'n',
    description: `how many of the newest to begin with, 0 to ${LIMITS.timelineEntries} (default: 50)`,
  },
  (given, flag) => {
    const value = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
    if (value <= LIMITS.timelineEntries) return value;
    throw usageError(`${flag} must be a whole number from 0 to ${LIMITS.timelineEntries}; got ${given}.`);
  },
);

export const logs = declare({
  name: 'logs',
  summary:
    'what happened, oldest first, in sandbox time: calls, changes, events, attempts, the clock and more',
  description:
    'Words of a filter, all of which must hold: `status:5xx`, `method:POST`, `path:/api/*`, ' +
    '`type:pix.settled`, `is:failed`, `is:unmatched`, `kind:attempt`, `by:scenario`, ' +
    '`to:shop`, `charge:order-1`, `since:5m`, or a text; write `--filter -kind:clock` for ' +
    'what must not. With --source, or any filter of calls and deliveries below, it shows ' +
    'those alone, with what was wrong, in real time (UTC).',
  args: { filter: rest() },
  options: {
    filter: text('filter', 'only entries of the timeline that match, such as -kind:clock'),
    follow: flag('keep printing new entries until Ctrl-C; exit 3 when the sandbox stops'),
    limit: otherwise(limit, 50),
    source: choice('source', 'only calls, deliveries or both (all)', ['calls', 'deliveries', 'all']),
    status: text('statuses', 'only answered with these, such as 401 or 4xx,5xx'),
    failed: flag('only what went wrong: 4xx, 5xx, and attempts that failed'),
    method: method('only calls with this method'),
    path: text('glob', "only calls of this path, such as '/api/public/v1/*'"),
    door: choice('door', 'only calls to api, identity or hosted (the pages)', CALL_DOORS),
    unmatched: flag('only calls that met no route'),
    events: text('types', 'only deliveries of these, such as pix.*', several(EVENT_PATTERNS)),
    endpoint: text('endpoint', 'only deliveries to it, by id, URL or description', rows('endpoints')),
    since: duration('duration', 'only what ended within the last 5m, in real time'),
    ...APP,
  },
  examples: [
    '',
    '--follow',
    'is:failed since:1h',
    "--status 4xx --path '/api/public/v1/*'",
    '--source deliveries --json',
  ],
  related: ['trace', 'calls', 'deliveries', 'status'],
});

export default { commands: [logs.runs(async () => (await import('./logs.js')).showLogs)] };
