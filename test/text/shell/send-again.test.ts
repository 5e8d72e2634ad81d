import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { ScriptProblem, ShellScript } from '../../../src/text/shell/curl.js';
import { createAttemptScript, createCallScript } from '../../../src/text/shell/curl.js';

const linesOf = ({ script }: ShellScript) => script.split('\n');
const SCHEME = { signatureEncoding: 'hex', digestEncoding: 'hex', pathForm: 'path' } as const;
const REQUEST = {
  headers: [
    ['Host', 'localhost:3900'],
    ['Authorization', 'Bearer pix_…'],
    ['X-Nonce', 'old'],
    ['Content-Type', 'application/json'],
    ['X-Empty', ''],
    ['X-Secret', 'ab…'],
    ['X-Odd', 'a\u0001b'],
  ] as readonly (readonly [string, string])[],
  body: '{"code":"order-1"}',
  body_bytes: 18,
  truncated: false,
  redacted: false,
};
const CALL = { api: 'api', method: 'POST', path: '/api/public/v1/pix?a=1', request: REQUEST };
const again = (changed: object, scheme: Parameters<typeof createCallScript>[2] = SCHEME) =>
  createCallScript({ ...CALL, ...changed }, 'http://localhost:3900/', scheme);

function scripted(made: ShellScript | ScriptProblem): ShellScript {
  if ('problem' in made) throw new Error(made.problem);
  return made;
}

function scriptOf(
  call: object,
  request: object = {},
  scheme?: Parameters<typeof createCallScript>[2],
): ShellScript {
  return scripted(again({ ...call, request: { ...REQUEST, ...request } }, scheme));
}

describe('commands that repeat an API request', () => {
  test('commands that repeat an API request sign it again with secrets from the environment', () => {
    const again = scriptOf({});
    expect(again.leftOut).toEqual(['x-secret', 'x-odd']);
    expect(linesOf(again)).toEqual([
      '(',
      '  : "${SANDBOX_TOKEN:?is not set; sandbox env prints the value for the default application}"',
      '  : "${SANDBOX_SIGNING_SECRET:?is not set; sandbox env prints the value for the default application}"',
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

  test('commands that repeat an API request sign as the scheme requires', () => {
    const scheme = { signatureEncoding: 'base64', digestEncoding: 'base64', pathForm: 'target' } as const;
    const { script } = scriptOf({}, {}, scheme);
    expect(script).toContain('digest=$(body | openssl dgst -sha256 -binary | openssl base64 -A)');
    expect(script).toContain('POST \'/api/public/v1/pix?a=1\' "$digest"');
    expect(script).toContain('-hmac "$SANDBOX_SIGNING_SECRET" -binary | openssl base64 -A)');
  });

  test('commands that repeat an API request sign an empty body without one, and a read only if it was signed', () => {
    const empty = scriptOf({}, { body: '' }).script;
    expect(empty).toContain("digest=$(printf '' | openssl");
    expect(empty).not.toContain('body');
    const read = scriptOf({ method: 'GET' }, { headers: [], body: '' }).script;
    expect(read).not.toMatch(/signature|SIGNING/);
    const signedRead = scriptOf({ method: 'HEAD' }, { headers: [['X-Nonce', 'old']], body: '' }).script;
    expect(signedRead).toContain('signature=$(');
  });

  test('repeating an identity request requires its token, unsigned, and the id of a hidden session', () => {
    const { script } = scriptOf(
      { api: 'identity', method: 'GET', path: '/v1/kyc/sessions/kyc_0a1b…/result?x=1' },
      { headers: [], body: '' },
    );
    expect(script).toContain(': "${SANDBOX_KYC_TOKEN:?is not set');
    expect(script).toContain(': "${SANDBOX_SESSION_ID:?is not set; use the full id of session kyc_0a1b}"');
    expect(script).toContain(`http://localhost:3900/v1/kyc/sessions/"$SANDBOX_SESSION_ID"'/result?x=1'`);
    expect(script).not.toMatch(/signature|SANDBOX_TOKEN/);
  });

  test.for([
    '/v1/other/kyc_0a…',
    '/v1/kyc/sessions/kyc_0a…/x/…',
    '/v1/kyc/sessions/kyc_0a…/ä',
    '/a b',
    '/ä/sessions/kyc_0a…',
  ])('commands that repeat an API request are not available for the path %s', (path) => {
    expect(again({ path })).toHaveProperty('problem');
  });

  test('commands that repeat an API request fail if a variable is missing, and leave no files behind', () => {
    const { script } = scriptOf({});
    const { stderr, stdout } = spawnSync('sh', ['-c', `${script}\necho "after:$timestamp"`], { env: {} });
    expect(stderr.toString()).toContain('SANDBOX_TOKEN: is not set; sandbox env prints');
    expect(stdout.toString()).toBe('after:\n');
  });
});

const DELIVERY = {
  event_id: 'evt_1',
  endpoint_id: 'cab6ca71-fef6-405a-9743-4348dfe07b5d',
  endpoint_url: 'https://shop.example/hook',
  target_url: 'http://localhost:3000/hook',
  own_secret: false,
};
const HEADERS = { 'webhook-signature': 'v1,old', 'content-type': 'application/json', connection: 'close' };

test('the commands that repeat a webhook sign it under its id', () => {
  const made = scripted(createAttemptScript(DELIVERY, HEADERS, '{}'));
  expect(made.leftOut).toEqual([]);
  expect(linesOf(made)).toEqual([
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

test('requires a separate variable for an endpoint with its own secret, and uses no other secret', () => {
  const { script } = scripted(createAttemptScript({ ...DELIVERY, own_secret: true }, HEADERS, '{}'));
  expect(script).not.toContain('SANDBOX_WEBHOOK_SECRET');
  const env = { SANDBOX_WEBHOOK_SECRET: 'whsec_MTIz', ENDPOINT_SECRET_11111111: 'whsec_MTIz' };
  const { status, stderr } = spawnSync('sh', ['-c', script], { env });
  expect(status).not.toBe(0);
  expect(stderr.toString()).toContain(
    `ENDPOINT_SECRET_cab6ca71: is not set; use the whsec_ secret shown when endpoint ${DELIVERY.endpoint_id} was created or rotated`,
  );
  expect(script).toContain('"${ENDPOINT_SECRET_cab6ca71#whsec_}"');
});

describe('a logged exchange', () => {
  test('a logged exchange is sent again to the sandbox, as text or from base64', () => {
    const { body, ...others } = REQUEST;
    expect(again({ request: { ...others, body_base64: btoa(body) } })).toEqual(again({}));
  });

  test('a logged exchange is not sent if a part is missing, and explains what to do instead', () => {
    const whole = 'Sign the complete body: `sign request POST /api/public/v1/pix?a=1 body.json --curl`.';
    const surfaces = 'Only stored requests to the payments API and the identity API can be sent again.';
    expect([
      again({ request: null }),
      again({ api: 'sdk' }),
      again({ request: { ...REQUEST, truncated: true } }),
      again({ request: { ...REQUEST, redacted: true } }),
      again({ path: '/api/…' }),
    ]).toEqual([
      { problem: 'This request’s body is not stored.', hint: surfaces },
      { problem: 'Requests to the hosted pages cannot be sent with curl.', hint: surfaces },
      { problem: 'Only part of the 18-byte body is stored.', hint: whole },
      { problem: 'The log redacts a secret in the request body.', hint: whole },
      {
        problem: 'The log redacts part of this request’s path: /api/….',
        hint: 'Sign the request with the complete path: `sign request METHOD PATH body.json --curl`.',
      },
    ]);
  });

  test('needs a URL for a delivery, and a content type if no attempt was made', () => {
    const of = (changed: object) => createAttemptScript({ ...DELIVERY, ...changed }, undefined, '{}');
    expect(scripted(of({})).script).toContain("-H 'content-type: application/json'");
    const body = 'Sign the event body for the URL: `npx sandbox sign webhook body.json --curl URL`.';
    expect([
      of({ target_url: null }),
      of({ target_url: 'http://127.0.0.1/…' }),
      of({ endpoint_url: null, target_url: null }),
    ]).toEqual([
      { problem: 'This delivery’s listener has no URL.', hint: body },
      { problem: 'The listener’s forward URL contains a secret.', hint: body },
      {
        problem: 'This delivery’s endpoint was deleted.',
        hint: 'Resend the event with `npx sandbox events resend`.',
      },
    ]);
  });
});
