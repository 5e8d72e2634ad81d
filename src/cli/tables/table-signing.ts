import type { CommandSpec, OptionSpec } from '../program/command-spec.js';

const sign = () => import('../commands/sign/sign.js');
const fixtures = () => import('../commands/fixtures/fixtures.js');

const SECRET_FILE: OptionSpec = {
  flags: '--secret-file <file>',
  description: 'a file with one secret on each line',
};
const WEBHOOK_SECRETS: readonly OptionSpec[] = [
  {
    flags: '--secret <secret>',
    description: 'whsec_… (default: SANDBOX_WEBHOOK_SECRET, or the running sandbox’s)',
    list: true,
  },
  SECRET_FILE,
];

/** The commands about signatures, and the fixtures that hold them. */
export const SIGNING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'verify',
    summary: 'say whether the signature of a webhook holds, and if not, why not',
    args: ['[file]'],
    options: [
      { flags: '--id <id>', description: 'the header webhook-id' },
      { flags: '--timestamp <seconds>', description: 'the header webhook-timestamp' },
      { flags: '--signature <text>', description: 'the header webhook-signature' },
      { flags: '--headers <file>', description: 'a file with the headers, raw or as JSON' },
      { flags: '--delivery <@file>', description: 'a line of `listen --json`: headers and body; - is stdin' },
      ...WEBHOOK_SECRETS,
      { flags: '--at <instant>', description: 'check as of this instant or Unix seconds (default: now)' },
      {
        flags: '--tolerance <duration>',
        description: 'how far the timestamp may be from it (default: 300s)',
      },
      { flags: '--strict', description: 'give the verdict alone, without looking for the mistake' },
    ],
    examples: ['body.json --headers headers.txt', '--delivery @attempt.json --at 2026-01-31T12:00:00Z'],
    load: async () => (await import('../commands/verify/verify.js')).verify,
  },
  {
    name: 'sign webhook',
    summary: 'the headers of a webhook with this body (a file, or stdin)',
    args: ['[file]'],
    options: [
      ...WEBHOOK_SECRETS,
      { flags: '--id <id>', description: 'webhook-id (default: a new one)' },
      { flags: '--timestamp <instant>', description: 'webhook-timestamp (default: now)' },
      { flags: '--curl <url>', description: 'print the whole command that sends it there' },
    ],
    examples: ['body.json', 'body.json --curl http://localhost:3000/webhooks'],
    load: async () => (await sign()).webhook,
  },
  {
    name: 'sign request',
    summary: 'the signature headers of a request, and the string that is signed',
    args: ['<method>', '<path-or-url>', '[file]'],
    options: [
      {
        flags: '--secret <secret>',
        description: 'signing secret (default: SANDBOX_SIGNING_SECRET, or the running sandbox’s)',
      },
      SECRET_FILE,
      { flags: '--nonce <nonce>', description: 'X-Nonce (default: a new one)' },
      { flags: '--timestamp <instant>', description: 'X-Timestamp (default: now)' },
      { flags: '--curl', description: 'print the whole command' },
      { flags: '--token <token>', description: '--curl: the bearer token (default: SANDBOX_TOKEN)' },
    ],
    examples: ['POST /api/public/v1/pix charge.json', 'POST /api/public/v1/pix charge.json --curl'],
    load: async () => (await sign()).request,
  },
  {
    name: 'fixtures list',
    summary: 'the files that there are',
    examples: ['', '--json'],
    load: async () => (await fixtures()).list,
  },
  {
    name: 'fixtures show',
    summary: 'print one of them',
    args: ['<name>'],
    examples: ['pix.settled', 'signatures/webhooks-accepted.json'],
    load: async () => (await fixtures()).show,
  },
  {
    name: 'fixtures export',
    summary: 'write all of them into a folder',
    args: ['<dir>'],
    options: [{ flags: '--force', description: 'overwrite files that have other content' }],
    examples: ['test/fixtures', 'test/fixtures --force'],
    load: async () => (await fixtures()).exportAll,
  },
];
