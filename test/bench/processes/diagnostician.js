// Diagnoses messages whose signatures do not hold. Asked for a case, it says how long one diagnosis takes, and as many bare
// signatures as the diagnosis may make.
import { createHash, createHmac } from 'node:crypto';
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { DEFAULT_BUDGETS, diagnoseRequest, diagnoseWebhook } = await import(`${sources}signing/index.mjs`);

const NOW_S = 1_767_225_600;
const SECRET = 'sandbox-signing-secret';
const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const WEBHOOK_KEY = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
const NONCE = 'nonce-0123456789ab';
const TARGET = '/api/public/v1/pix';
const BODY = Buffer.from(
  JSON.stringify({ code: 'order-1', amount: '10.00', metadata: { note: 'x'.repeat(700) } }),
);

const hmac = (key, content, encoding) => createHmac('sha256', key).update(content).digest(encoding);

function requestContent(method) {
  return `${NOW_S}.${NONCE}.${method}.${TARGET}.${createHash('sha256').update(BODY).digest('hex')}`;
}

/** The signatures of requests with one mistake, with two, and by nobody. */
const REQUESTS = {
  one: hmac(SECRET, requestContent('post'), 'hex'),
  two: hmac(SECRET, requestContent('post'), 'base64'),
  none: hmac('nobody knows', requestContent('POST'), 'hex'),
};

const webhookContent = Buffer.concat([Buffer.from(`evt_1.${NOW_S}.`), BODY]);
const WEBHOOKS = {
  one: `v1,${hmac(WEBHOOK_SECRET, webhookContent, 'base64')}`,
  two: `v1,${hmac(WEBHOOK_SECRET, webhookContent, 'hex')}`,
  none: `v1,${hmac('nobody knows', webhookContent, 'base64')}`,
};

function diagnose({ subject, mistakes, effort }) {
  if (subject === 'request') {
    const headers = {
      'x-timestamp': String(NOW_S),
      'x-nonce': NONCE,
      'x-signature': REQUESTS[mistakes],
    };
    const request = { method: 'POST', target: TARGET, body: BODY, headers };
    return diagnoseRequest(request, { secret: SECRET, nowS: NOW_S, effort });
  }
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(NOW_S),
    'webhook-signature': WEBHOOKS[mistakes],
  };
  return diagnoseWebhook(
    { body: BODY, headers },
    { secrets: [{ secret: WEBHOOK_SECRET }], nowS: NOW_S, effort },
  );
}

function timed(act, times) {
  const startedAt = performance.now();
  for (let time = 0; time < times; time += 1) act();
  return (performance.now() - startedAt) / times;
}

answering(({ times, ...wanted }) => {
  const findings = diagnose(wanted);
  const isProved = findings.some(({ certainty }) => certainty === 'proved');
  if (isProved !== (wanted.mistakes !== 'none')) {
    throw new Error(
      `Expected another diagnosis of ${JSON.stringify(wanted)}; got ${JSON.stringify(findings)}.`,
    );
  }
  const { macs } = DEFAULT_BUDGETS[wanted.effort];
  const key = wanted.subject === 'request' ? SECRET : WEBHOOK_KEY;
  const content = wanted.subject === 'request' ? requestContent('POST') : webhookContent;
  return {
    tookMs: timed(() => diagnose(wanted), times),
    macsMs: timed(() => hmac(key, content, 'hex'), macs) * macs,
  };
});
