import { completeFiles, completeRows, completeWords } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import { URL_ONLY_EXITS } from '../program/errors.js';
import {
  defineCount,
  defineDuration,
  defineFlag,
  acceptArgument,
  requireArgument,
  defineText,
} from '../program/options.js';
import {
  SECRET_FILE_OPTION,
  defineSeconds,
  WEBHOOK_SECRET_FACT,
  WEBHOOK_SECRET_OPTIONS,
} from '../program/shared-options.js';

const webhook = declareCommand({
  name: 'sign webhook',
  summary: 'print the signature headers for a webhook body (a file, or stdin)',
  description: 'The headers work with `verify --headers` and curl. With --curl, prints a complete command.',
  args: { file: acceptArgument(completeFiles) },
  options: {
    ...WEBHOOK_SECRET_OPTIONS,
    id: defineText('id', 'webhook-id (default: a new one)'),
    timestamp: defineSeconds('instant', 'webhook-timestamp (default: now)'),
    curl: defineText('url', 'print a complete curl command for this URL'),
  },
  examples: ['body.json', 'body.json --curl http://localhost:3000/webhooks'],
  exits: URL_ONLY_EXITS,
  environment: [WEBHOOK_SECRET_FACT],
});

const request = declareCommand({
  name: 'sign request',
  summary: 'print the signature headers of a request, and the signed string',
  description:
    'Prints the headers to stdout, and the signed string with its parts to stderr. With ' +
    '--curl, prints a complete command, which contains the bearer token.',
  args: {
    method: requireArgument(completeWords(['POST', 'GET', 'PUT', 'PATCH', 'DELETE'])),
    'path-or-url': requireArgument(),
    file: acceptArgument(completeFiles),
  },
  options: {
    secret: defineText(
      'secret',
      'signing secret (default: SANDBOX_SIGNING_SECRET, or the running sandbox’s secret)',
    ),
    ...SECRET_FILE_OPTION,
    nonce: defineText('nonce', 'X-Nonce (default: a new one)'),
    timestamp: defineSeconds('instant', 'X-Timestamp (default: now)'),
    curl: defineFlag('print a complete curl command'),
    token: defineText('token', '--curl: the bearer token (default: SANDBOX_TOKEN)'),
  },
  examples: ['POST /api/public/v1/pix charge.json', 'POST /api/public/v1/pix charge.json --curl'],
  exits: URL_ONLY_EXITS,
  environment: [
    { name: 'SANDBOX_SIGNING_SECRET', meaning: 'the secret, if --secret is not passed' },
    { name: 'SANDBOX_TOKEN', meaning: '--curl: the bearer token, if --token is not set' },
  ],
});

export const SIGN_COMMANDS = { webhook, request };

export const verify = declareCommand({
  name: 'verify',
  summary: 'verify a webhook signature, and explain any failure',
  description:
    'Shows which secret and signature matched, and the age of the message. If none matches, ' +
    'tries common signing errors, and names the cause and its fix. With --delivery, also explains why ' +
    'the receiver refused the delivery: by its response, and by the secrets in the environment and in ' +
    '.env files. To find a signing ' +
    'error in your code, pass its computed signature as --signature, with --headers or --delivery: in ' +
    'base64 or hex, with or without the v1 prefix. Secrets are shortened.',
  args: { file: acceptArgument(completeFiles) },
  options: {
    id: defineText('id', 'the webhook-id header'),
    timestamp: defineText('seconds', 'the webhook-timestamp header'),
    signature: defineText('text', 'the webhook-signature header, or the signature that your code computed'),
    headers: defineText('file', 'a file with the headers, raw or as JSON', completeFiles),
    delivery: defineText(
      'id',
      'id or payment code, or @file containing output of `listen --json` or `deliveries show --json`',
      completeRows('deliveries'),
    ),
    attempt: defineCount(
      'number',
      '--delivery: attempt number in the running sandbox (default: the last failed attempt, or the last)',
    ),
    ...WEBHOOK_SECRET_OPTIONS,
    at: defineSeconds('instant', 'verify as of this instant or Unix time in seconds (default: now)'),
    tolerance: defineDuration('duration', 'timestamp tolerance (default: 300s)'),
    strict: defineFlag('print only the verdict, without searching for the signing error'),
  },
  examples: [
    'order-1',
    '--delivery order-1 --attempt 1',
    'body.json --headers headers.txt',
    '--delivery @attempt.json --at 2026-01-31T12:00:00Z',
  ],
  exits: { 1: 'the signature is invalid, or your code computed a different one', ...URL_ONLY_EXITS },
  related: ['sign webhook', 'listen', 'fixtures'],
  environment: [WEBHOOK_SECRET_FACT],
});
