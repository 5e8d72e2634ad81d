import { files, rows, words } from '../completion/sources.js';
import { declare } from '../program/declaration.js';
import { ASKS_WHERE_NAMED } from '../program/errors.js';
import { count, duration, flag, optional, required, text } from '../program/options.js';
import { SECRET_FILE, seconds, WEBHOOK_SECRET_FACT, WEBHOOK_SECRETS } from '../program/shared-options.js';

const webhook = declare({
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

const request = declare({
  name: 'sign request',
  summary: 'the signature headers of a request, and the string that is signed',
  description:
    'The headers are on stdout; the string that was signed, part by part, is on stderr. With ' +
    '--curl the whole command, which holds the bearer token.',
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

export const SIGN = { webhook, request };

export const verify = declare({
  name: 'verify',
  summary: 'check the signature of a webhook, and explain an invalid one',
  description:
    'Shows which secret and signature matched, and the age of the message. If none matches, ' +
    'common mistakes are tried, and the one found is named with its fix. With --headers or ' +
    '--delivery, --signature takes what your code computed for that webhook: in base64 or ' +
    'hex, with or without v1, before it. The mistake that leads to it is named. Secrets are ' +
    'shown shortened.',
  args: { file: optional(files) },
  options: {
    id: text('id', 'the header webhook-id'),
    timestamp: text('seconds', 'the header webhook-timestamp'),
    signature: text('text', 'the header webhook-signature, or what your code computed'),
    headers: text('file', 'a file with the headers, raw or as JSON', files),
    delivery: text(
      'id',
      'id or payment code, or @file with `listen --json` or `deliveries show --json`',
      rows('deliveries'),
    ),
    attempt: count('number', '--delivery: the attempt of the running sandbox (default: the last)'),
    ...WEBHOOK_SECRETS,
    at: seconds('instant', 'check as of this instant or Unix seconds (default: now)'),
    tolerance: duration('duration', 'how far the timestamp may be from it (default: 300s)'),
    strict: flag('print only the verdict, without looking for the mistake'),
  },
  examples: ['body.json --headers headers.txt', '--delivery @attempt.json --at 2026-01-31T12:00:00Z'],
  exits: { 1: 'the signature does not hold, or your code computed another one', ...ASKS_WHERE_NAMED },
  related: ['sign webhook', 'listen', 'fixtures'],
  environment: [WEBHOOK_SECRET_FACT],
});
