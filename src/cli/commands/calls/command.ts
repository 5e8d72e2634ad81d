import { files, rows } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { choice, duration, flag, required, text } from '../../program/options.js';
import { APP, CALL_DOORS, method } from '../../program/shared-options.js';

const FILTERS = {
  method: method('only of this method'),
  path: text('path', 'only to this path, * for anything'),
  status: text('status', 'only with this status, such as 401 or 4xx'),
  since: duration('duration', 'only the most recent, such as 5m of real time'),
  door: choice('door', 'only at this door: api, identity or hosted', CALL_DOORS),
  app: { ...APP.app, description: 'only of this application, by id or name' },
};

const list = declare({
  name: 'calls list',
  summary: 'what your code sent to the sandbox, newest first',
  description: '`calls show` prints the headers and the body of a call and of its answer.',
  options: FILTERS,
  examples: ['', '--status 4xx --since 5m'],
});

const show = declare({
  name: 'calls show',
  summary: 'one call: what was sent, answered and wrong, and what followed',
  description:
    'With --curl a command for sh, bash and zsh that sends it again at any time, with ' +
    'secrets from SANDBOX_TOKEN and other variables.',
  args: { id: required(rows('calls')) },
  options: { curl: flag('print the command that sends it') },
  examples: ['req_0123', 'req_0123 --curl'],
});

const replay = declare({
  name: 'calls replay',
  summary: 'send a call once more, with a fresh signature',
  description:
    'It goes through the same door, with its faults, as the application that was recognised. ' +
    'What was changed is printed.',
  args: { id: required(rows('calls')) },
  options: {
    body: text('text', 'another body: a text, @file, or - for stdin', files),
    app: text('app', 'send it as this application, by id or name', rows('apps')),
    newCode: flag('change its code; for the identity API, its Idempotency-Key'),
  },
  examples: ['req_0123', 'req_0123 --new-code', 'req_0123 --body @charge.json'],
});

const diff = declare({
  name: 'calls diff',
  summary: 'what differs in two calls and their answers',
  args: { from: required(rows('calls')), to: required(rows('calls')) },
  examples: ['req_0123 req_4567'],
});

export const CALLS = { list, show, replay, diff };

export default group(
  { about: 'what your code sent to the sandbox, and the results', related: ['logs', 'faults'] },
  CALLS,
  async () => (await import('./calls.js')).calls,
);
