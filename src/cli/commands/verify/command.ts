import { files } from '../../completion/sources.js';
import { ASKS_WHERE_NAMED } from '../../help/exit-statuses.js';
import { declare } from '../../program/declaration.js';
import { duration, flag, optional, text } from '../../program/options.js';
import { seconds, WEBHOOK_SECRET_FACT, WEBHOOK_SECRETS } from '../../signatures/options.js';

export const verify = declare({
  name: 'verify',
  summary: 'check the signature of a webhook, and explain an invalid one',
  description:
    'Shows which secret and signature matched, and the age of the message. If none matches, common mistakes are tried, and the one found is named with its fix. With --headers or --delivery, --signature takes what your code computed for that webhook: in base64 or hex, with or without v1, before it. The mistake that leads to it is named. Secrets are shown shortened.',
  args: { file: optional(files) },
  options: {
    id: text('id', 'the header webhook-id'),
    timestamp: text('seconds', 'the header webhook-timestamp'),
    signature: text('text', 'the header webhook-signature, or what your code computed'),
    headers: text('file', 'a file with the headers, raw or as JSON', files),
    delivery: text('@file', 'a line of `listen --json`: headers and body; - is stdin', files),
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

export default { commands: [verify.runs(async () => (await import('./verify.js')).verifySignature)] };
