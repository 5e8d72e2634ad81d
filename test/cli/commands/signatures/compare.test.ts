import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { signWebhook } from '../../../../src/signing/webhook.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { formatPythonBytes } from '../../../../src/signing/diagnosis/rewriting.js';

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

describe('a signature computed by user code', () => {
  test.each([
    ['signature-hex', mac().toString('hex')],
    ['signature-command-output', `SHA2-256(stdin)= ${mac().toString('hex')}`],
    ['secret-used-whole', mac(SECRET).toString('base64')],
    ['body-python-bytes', mac(KEY, formatPythonBytes(Buffer.from(BODY))).toString('base64')],
    ['algorithm-other-hash', createHmac('md5', KEY).update(`msg_1.${AT}.${BODY}`).digest('base64')],
  ])('differs by %s', async (id, signature) => {
    const { exitCode, stdout } = await compare(signature);
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stdout).toMatch(/^✗ Your code computed a different signature\.\n/);
    expect(stdout).toContain('fix       ');
    const { ok, findings, received } = await compareJson(signature);
    expect(ok).toBe(false);
    expect(findings.map((finding) => finding.id)).toContain(id);
    expect(received).toEqual({ ok: true, cause: null });
  });

  test('a computed signature is judged by the provided secret if the webhook is not signed with it', async () => {
    const right = await compare(mac().toString('base64'), { delivery: delivery(OTHER) });
    expect(right.exitCode).toBe(EXIT_CODES.done);
    expect(right.stdout).toContain('the signature in the webhook is invalid: signature_mismatch');
    expect(right.stderr).toContain('run the same command without --signature');
    const wrong = await compare(mac(SECRET).toString('base64'), { delivery: delivery(OTHER) });
    expect(wrong.exitCode).toBe(EXIT_CODES.no);
    expect(wrong.stdout).toContain('The full secret was used as undecoded text');
    expect(wrong.stderr).toContain('is also invalid');
  });
});
