import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { signWebhook } from '../../../../src/signing/webhook.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';
import { pythonBytes } from '../../../signing/diagnosis/programs/languages.js';

const AT = 1_760_000_000;
const BODY = '{"id": "evt_1", "name": "João"}\n';
const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('the secret of another one').toString('base64')}`;
const KEY = Buffer.from(SECRET.slice('whsec_'.length), 'base64');

function delivery(secret = SECRET) {
  const headers = signWebhook({ id: 'msg_1', timestampS: AT, body: BODY, secrets: secret });
  return JSON.stringify({ headers, body: BODY });
}

/** What a program computes: HMAC-SHA256 of the message, which it may get wrong. */
function mac(key: string | Buffer = KEY, body: string = BODY): Buffer {
  return createHmac('sha256', key).update(`msg_1.${AT}.${body}`).digest();
}

function compare(signature: string, options: object = {}) {
  return runBody('verify', { options: { delivery: delivery(), secret: [SECRET], signature, ...options } });
}

async function compareJson(signature: string, options: object = {}) {
  const { stdout } = await runBody('verify', {
    json: true,
    options: { delivery: delivery(), secret: [SECRET], signature, ...options },
  });
  return JSON.parse(stdout) as { ok: boolean; findings: { id: string }[]; received: object; hint: string };
}

describe('a signature that the code of the user computed', () => {
  test.each([
    ['with its version', `v1,${mac().toString('base64')}`],
    ['without its version', mac().toString('base64')],
    ['with a line break after it', `${mac().toString('base64')}\n`],
  ])('is right %s, at any time', async (_form, signature) => {
    vi.useFakeTimers({ toFake: ['Date'], now: (AT + 1e6) * 1000 });
    try {
      const { exitCode, stdout, stderr } = await compare(signature);
      expect(exitCode).toBe(EXIT.done);
      expect(stdout).toBe(
        [
          '✓ Your code computed the right signature.',
          `secret    1 of 1, ${SECRET.slice(0, 8)}…${SECRET.slice(-2)} (--secret)`,
          'received  the signature in the webhook holds',
          '',
        ].join('\n'),
      );
      expect(stderr).toBe('');
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ['signature-hex', mac().toString('hex')],
    ['signature-hex', `v1,${mac().toString('hex')}`],
    ['signature-command-output', `SHA2-256(stdin)= ${mac().toString('hex')}`],
    ['signature-python-bytes', `b'${mac().toString('base64')}'`],
    ['signature-is-object', '[object Promise]'],
    ['secret-used-whole', mac(SECRET).toString('base64')],
    ['secret-used-whole', mac(SECRET).toString('hex')],
    ['body-python-bytes', mac(KEY, pythonBytes(Buffer.from(BODY))).toString('base64')],
    ['body-newline-added', `v1,${mac(KEY, `${BODY}\n`).toString('base64')}`],
    ['algorithm-other-hash', createHmac('md5', KEY).update(`msg_1.${AT}.${BODY}`).digest('base64')],
  ])('differs by %s', async (id, signature) => {
    const { exitCode, stdout } = await compare(signature);
    expect(exitCode).toBe(EXIT.no);
    expect(stdout).toMatch(/^✗ Your code computed another signature\.\n/);
    expect(stdout).toContain('fix       ');
    const { ok, findings, received } = await compareJson(signature);
    expect(ok).toBe(false);
    expect(findings.map((finding) => finding.id)).toContain(id);
    expect(received).toEqual({ ok: true, cause: null });
  });

  test('without an explanation leaves the secret and the body to compare', async () => {
    const { findings, hint } = await compareJson(mac('a secret of nobody').toString('base64'));
    expect(findings).toMatchObject([{ id: 'unknown-secret' }]);
    expect(hint).toBeNull();
  });

  test('that the webhook carries needs the secret of the code, if the given one is another', async () => {
    const theirs = mac(Buffer.from(OTHER.slice('whsec_'.length), 'base64')).toString('base64');
    const found = await compareJson(theirs, { delivery: delivery(OTHER) });
    expect(found).toMatchObject({ ok: false, findings: [], received: { cause: 'signature_mismatch' } });
    expect(found.hint).toContain('Give the secret that your code uses');
  });

  test('is judged by the given secret where the webhook is not signed with it', async () => {
    const right = await compare(mac().toString('base64'), { delivery: delivery(OTHER) });
    expect(right.exitCode).toBe(EXIT.done);
    expect(right.stdout).toContain('the signature in the webhook does not hold: signature_mismatch');
    expect(right.stderr).toContain('run the same command without --signature');
    const wrong = await compare(mac(SECRET).toString('base64'), { delivery: delivery(OTHER) });
    expect(wrong.exitCode).toBe(EXIT.no);
    expect(wrong.stdout).toContain('The whole secret was used as text');
    expect(wrong.stderr).toContain('does not hold either');
  });

  test('is compared without a diagnosis under --strict', async () => {
    expect(await compareJson(mac(SECRET).toString('base64'), { strict: true })).toMatchObject({
      ok: false,
      findings: [],
    });
  });
});

test.each([
  [{ signature: ' ' }, '--signature is empty.'],
  [{ at: String(AT) }, '--signature compares at any time; got --at.'],
  [{ tolerance: '1h' }, '--signature compares at any time; got --tolerance.'],
  [{ id: 'msg_1' }, 'Expected the headers once, got --id, --timestamp and --signature and --delivery.'],
])('%j is refused', async (options, message) => {
  const error = await rejectionOf(compare(mac().toString('base64'), options), CliError);
  expect(error).toMatchObject({ exitCode: EXIT.usage, message });
});
