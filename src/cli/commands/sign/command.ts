import { files, words } from '../../completion/sources.js';
import { ASKS_WHERE_NAMED } from '../../help/exit-statuses.js';
import { declare, group } from '../../program/declaration.js';
import { flag, optional, required, text } from '../../program/options.js';
import { seconds, SECRET_FILE, WEBHOOK_SECRET_FACT, WEBHOOK_SECRETS } from '../../signatures/options.js';

export const webhook = declare({
  name: 'sign webhook',
  summary: 'the headers of a webhook with this body (a file, or stdin)',
  description: 'Prints headers that `verify --headers` and curl take, or with --curl the whole command.',
  args: { file: optional(files) },
  options: {
    ...WEBHOOK_SECRETS,
    id: text('id', 'webhook-id (default: a new one)'),
    timestamp: seconds('instant', 'webhook-timestamp (default: now)'),
    curl: text('url', 'print the whole command that sends it there'),
  },
  examples: ['body.json', 'body.json --curl http://localhost:3000/webhooks'],
  exits: ASKS_WHERE_NAMED,
  environment: [WEBHOOK_SECRET_FACT],
});

export const request = declare({
  name: 'sign request',
  summary: 'the signature headers of a request, and the string that is signed',
  description:
    'The headers are on stdout; the string that was signed, part by part, is on stderr. With --curl the whole command, which holds the bearer token.',
  args: {
    method: required(words(['POST', 'GET', 'PUT', 'PATCH', 'DELETE'])),
    'path-or-url': required(),
    file: optional(files),
  },
  options: {
    secret: text('secret', 'signing secret (default: SANDBOX_SIGNING_SECRET, or the running sandbox’s)'),
    ...SECRET_FILE,
    nonce: text('nonce', 'X-Nonce (default: a new one)'),
    timestamp: seconds('instant', 'X-Timestamp (default: now)'),
    curl: flag('print the whole command'),
    token: text('token', '--curl: the bearer token (default: SANDBOX_TOKEN)'),
  },
  examples: ['POST /api/public/v1/pix charge.json', 'POST /api/public/v1/pix charge.json --curl'],
  exits: ASKS_WHERE_NAMED,
  environment: [
    { name: 'SANDBOX_SIGNING_SECRET', meaning: 'the secret, where no --secret is given' },
    { name: 'SANDBOX_TOKEN', meaning: '--curl: the bearer token, where no --token is given' },
  ],
});

export default group(
  { about: 'the signature headers of a webhook or a request', related: ['verify', 'env'] },
  { webhook, request },
  () => import('./sign.js'),
);
