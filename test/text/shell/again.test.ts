import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { callScript, webhookScript } from '../../../src/text/shell/again.js';
import type { CallToScript, Script, WebhookToScript } from '../../../src/text/shell/again.js';
import { attemptAgain, callAgain } from '../../../src/text/shell/kept.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const linesOf = ({ script }: Script) => script.split('\n');
const SCHEME = { signatureEncoding: 'hex', digestEncoding: 'hex', pathForm: 'path' } as const;
const CALL: CallToScript = {
  door: 'api',
  method: 'POST',
  path: '/api/public/v1/pix?a=1',
  origin: 'http://localhost:3900',
  headers: [
    ['Host', 'localhost:3900'],
    ['Authorization', 'Bearer pix_…'],
    ['X-Nonce', 'old'],
    ['Content-Type', 'application/json'],
    ['X-Empty', ''],
    ['X-Secret', 'ab…'],
    ['X-Odd', 'a\u0001b'],
  ],
  body: bytes('{"code":"order-1"}'),
  scheme: SCHEME,
};

function scriptOf(call: Partial<CallToScript>): Script {
  const script = callScript({ ...CALL, ...call });
  if (script === undefined) throw new Error('Expected a script.');
  return script;
}

describe('the commands that send a call again', () => {
  test('sign it anew, by secrets from the environment', () => {
    const again = scriptOf({});
    expect(again.leftOut).toEqual(['x-secret', 'x-odd']);
    expect(linesOf(again)).toEqual([
      '(',
      '  : "${SANDBOX_TOKEN:?is not set; sandbox env prints that of the default application}"',
      '  : "${SANDBOX_SIGNING_SECRET:?is not set; sandbox env prints that of the default application}"',
      `  body() { printf %s '{"code":"order-1"}'; }`,
      '  timestamp=$(date +%s)',
      '  nonce=$(openssl rand -hex 16)',
      String.raw`  digest=$(body | openssl dgst -sha256 -binary | od -An -v -tx1 | tr -d ' \n')`,
      '  signature=$(printf %s.%s.%s.%s.%s "$timestamp" "$nonce" POST /api/public/v1/pix "$digest" |',
      String.raw`    openssl dgst -sha256 -hmac "$SANDBOX_SIGNING_SECRET" -binary | od -An -v -tx1 | tr -d ' \n')`,
      String.raw`  body | curl -X POST 'http://localhost:3900/api/public/v1/pix?a=1' \ `.trimEnd(),
      String.raw`    -H "Authorization: Bearer $SANDBOX_TOKEN" \ `.trimEnd(),
      String.raw`    -H "X-Nonce: $nonce" \ `.trimEnd(),
      String.raw`    -H 'Content-Type: application/json' \ `.trimEnd(),
      String.raw`    -H 'X-Empty;' \ `.trimEnd(),
      String.raw`    -H "x-timestamp: $timestamp" \ `.trimEnd(),
      String.raw`    -H "x-signature: $signature" \ `.trimEnd(),
      '    --data-binary @-',
      ')',
    ]);
  });

  test('sign as the scheme says', () => {
    const { script } = scriptOf({
      scheme: { signatureEncoding: 'base64', digestEncoding: 'base64', pathForm: 'target' },
    });
    expect(script).toContain('digest=$(body | openssl dgst -sha256 -binary | openssl base64 -A)');
    expect(script).toContain('POST \'/api/public/v1/pix?a=1\' "$digest"');
    expect(script).toContain('-hmac "$SANDBOX_SIGNING_SECRET" -binary | openssl base64 -A)');
  });

  test('sign an empty body without one, and a read only where it was signed', () => {
    const empty = scriptOf({ body: bytes('') }).script;
    expect(empty).toContain("digest=$(printf '' | openssl");
    expect(empty).not.toContain('body');
    const read = scriptOf({ method: 'GET', headers: [], body: bytes('') }).script;
    expect(read).not.toMatch(/signature|SIGNING/);
    const signedRead = scriptOf({ method: 'HEAD', headers: [['X-Nonce', 'old']], body: bytes('') }).script;
    expect(signedRead).toContain('signature=$(');
  });

  test('take the token of the identity API, unsigned, and ask for the id of a session that is hidden', () => {
    const { script } = scriptOf({
      door: 'identity',
      method: 'GET',
      path: '/v1/kyc/sessions/kyc_0a1b…/result?x=1',
      headers: [],
      body: bytes(''),
    });
    expect(script).toContain(': "${SANDBOX_KYC_TOKEN:?is not set');
    expect(script).toContain(': "${SANDBOX_SESSION_ID:?is not set; it is the id of the session kyc_0a1b}"');
    expect(script).toContain(`http://localhost:3900/v1/kyc/sessions/"$SANDBOX_SESSION_ID"'/result?x=1'`);
    expect(script).not.toMatch(/signature|SANDBOX_TOKEN/);
  });

  test.for([
    '/v1/other/kyc_0a…',
    '/v1/kyc/sessions/kyc_0a…/x/…',
    '/v1/kyc/sessions/kyc_0a…/ä',
    '/a b',
    '/ä/sessions/kyc_0a…',
  ])('do not exist for the path %s', (path) => {
    expect(callScript({ ...CALL, path })).toBeUndefined();
  });

  test('end where a variable is missing, and leave nothing behind', () => {
    const { script } = scriptOf({});
    const { stderr, stdout } = spawnSync('sh', ['-c', `${script}\necho "after:$timestamp"`], { env: {} });
    expect(stderr.toString()).toContain('SANDBOX_TOKEN: is not set; sandbox env prints');
    expect(stdout.toString()).toBe('after:\n');
  });
});

const WEBHOOK: WebhookToScript = {
  url: 'http://localhost:3000/hook',
  id: 'evt_1',
  headers: [
    ['webhook-signature', 'v1,old'],
    ['content-type', 'application/json'],
    ['connection', 'close'],
  ],
  body: bytes('{}'),
};

test('the commands that send a webhook again sign it under its id', () => {
  const again = webhookScript(WEBHOOK);
  expect(again.leftOut).toEqual([]);
  expect(linesOf(again)).toEqual([
    '(',
    '  : "${SANDBOX_WEBHOOK_SECRET:?is not set; sandbox env prints it}"',
    "  body() { printf %s '{}'; }",
    '  timestamp=$(date +%s)',
    String.raw`  key=$(printf %s "${'$'}{SANDBOX_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')`,
    '  signature=$({ printf %s.%s. evt_1 "$timestamp"; body; } |',
    '    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)',
    String.raw`  body | curl -X POST http://localhost:3000/hook \ `.trimEnd(),
    String.raw`    -H "webhook-signature: v1,$signature" \ `.trimEnd(),
    String.raw`    -H 'content-type: application/json' \ `.trimEnd(),
    String.raw`    -H 'webhook-id: evt_1' \ `.trimEnd(),
    String.raw`    -H "webhook-timestamp: $timestamp" \ `.trimEnd(),
    '    --data-binary @-',
    ')',
  ]);
});

test('an endpoint with its own secret needs a variable of its own, and never takes another secret', () => {
  const id = 'cab6ca71-fef6-405a-9743-4348dfe07b5d';
  const { script } = webhookScript({ ...WEBHOOK, ownSecretOf: id });
  expect(script).not.toContain('SANDBOX_WEBHOOK_SECRET');
  const env = { SANDBOX_WEBHOOK_SECRET: 'whsec_MTIz', ENDPOINT_SECRET_11111111: 'whsec_MTIz' };
  const { status, stderr } = spawnSync('sh', ['-c', script], { env });
  expect(status).not.toBe(0);
  expect(stderr.toString()).toContain(
    `ENDPOINT_SECRET_cab6ca71: is not set; it is the whsec_ secret that was shown when endpoint ${id} was created or rotated`,
  );
  expect(script).toContain('"${ENDPOINT_SECRET_cab6ca71#whsec_}"');
});

describe('what the log keeps', () => {
  const request = {
    headers: [],
    body: '{"code":"order-1"}',
    body_bytes: 18,
    truncated: false,
    redacted: false,
  };
  const call = { door: 'api', method: 'POST', path: '/api/public/v1/pix', request };
  const again = (changed: object) => callAgain({ ...call, ...changed }, 'http://localhost:3900/', SCHEME);

  test('is sent again to the sandbox, as text or from base64', () => {
    const text = again({});
    expect(text).toMatchObject({ leftOut: [] });
    expect(text).toMatchObject({
      script: expect.stringContaining('curl -X POST http://localhost:3900/api/public/v1/pix \\') as unknown,
    });
    const { body: _body, ...others } = request;
    expect(again({ request: { ...others, body_base64: btoa('{"code":"order-1"}') } })).toEqual(text);
  });

  test('is not sent where something is missing, and says what to do instead', () => {
    const [whole, doors] = [
      'Sign the whole body: `sign request POST /api/public/v1/pix body.json --curl`.',
      'Those to the payments API and the identity API can be, while the log keeps them.',
    ];
    expect([
      again({ request: null }),
      again({ door: 'sdk' }),
      again({ request: { ...request, truncated: true } }),
      again({ request: { ...request, redacted: true } }),
      again({ path: '/api/…' }),
    ]).toEqual([
      { problem: 'The request of this call is not kept.', hint: doors },
      { problem: 'Calls to the door sdk cannot be sent by curl.', hint: doors },
      { problem: 'Only the beginning of its 18 bytes of body is kept.', hint: whole },
      { problem: 'The log hides a secret in its body.', hint: whole },
      {
        problem: 'The log hides a part of the path of this call: /api/….',
        hint: 'Sign the request with the whole path: `sign request METHOD PATH body.json --curl`.',
      },
    ]);
  });

  test('of a delivery is sent to where its attempts go', () => {
    const delivery = {
      event_id: 'evt_1',
      endpoint_id: 'cab6ca71-fef6-405a-9743-4348dfe07b5d',
      endpoint_url: 'https://shop.example/hook',
      target_url: 'http://localhost:3000/hook',
      own_secret: false,
    };
    const scriptOf = (changed: Partial<typeof delivery>) => {
      const sent = attemptAgain({ ...delivery, ...changed }, undefined, '{}');
      return 'script' in sent ? sent.script : '';
    };
    expect(/curl -X POST (\S+)[^]*-H '(content-type: [^']+)'/.exec(scriptOf({}))?.slice(1)).toEqual([
      'http://localhost:3000/hook',
      'content-type: application/json',
    ]);
    expect(scriptOf({})).toContain('"${SANDBOX_WEBHOOK_SECRET#whsec_}"');
    expect(scriptOf({ own_secret: true })).toContain('"${ENDPOINT_SECRET_cab6ca71#whsec_}"');
    const body = 'Sign its body for the URL: `npx sandbox sign webhook body.json --curl URL`.';
    expect([
      attemptAgain({ ...delivery, target_url: null }, undefined, '{}'),
      attemptAgain({ ...delivery, target_url: 'http://127.0.0.1/…' }, undefined, '{}'),
      attemptAgain({ ...delivery, endpoint_url: null, target_url: null }, undefined, '{}'),
    ]).toEqual([
      { problem: 'The listener of this delivery names no URL.', hint: body },
      { problem: 'The URL that the listener forwards to holds a secret.', hint: body },
      {
        problem: 'The endpoint of this delivery was deleted.',
        hint: 'Send its event with `npx sandbox events resend`.',
      },
    ]);
    const kept = attemptAgain(delivery, { 'content-type': 'text/x', 'user-agent': 'me' }, '{}');
    expect(kept).toMatchObject({ script: expect.stringContaining("-H 'user-agent: me'") as unknown });
    expect(kept).not.toMatchObject({ script: expect.stringContaining('application/json') as unknown });
  });
});
