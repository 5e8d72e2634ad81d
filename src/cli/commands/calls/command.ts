import { rows } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { choice, duration, required, text } from '../../program/options.js';
import { APP, CALL_DOORS, method } from '../../program/shared-options.js';

const FILTERS = {
  method: method('only of this method'),
  path: text('path', 'only to this path, * for anything'),
  status: text('status', 'only with this status, such as 401 or 4xx'),
  since: duration('duration', 'only the most recent, such as 5m of real time'),
  door: choice('door', 'only at this door: api, identity or hosted', CALL_DOORS),
  app: { ...APP.app, description: 'only of this application, by id or name' },
};

export const list = declare({
  name: 'calls list',
  summary: 'what your code sent to the sandbox, newest first',
  description: '`calls show` prints the headers and the body of a call and of its answer.',
  options: FILTERS,
  examples: ['', '--status 4xx --since 5m'],
});

export const show = declare({
  name: 'calls show',
  summary: 'one call: what was sent, answered and wrong, and what followed',
  args: { id: required(rows('calls')) },
  examples: ['req_0123'],
});

const tail = declare({
  name: 'calls tail',
  summary: 'calls as they come, until Ctrl-C',
  options: FILTERS,
  examples: ['', '--path /api/public/v1/pix --json'],
});

export default group(
  { about: 'what your code sent to the sandbox, and the results', related: ['logs', 'faults'] },
  { list, show, tail },
  () => import('./calls.js'),
);
