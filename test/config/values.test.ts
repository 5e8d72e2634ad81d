import * as fc from 'fast-check';
import { Ajv } from 'ajv';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DELAY_FORMS } from '../../src/contract/delay.js';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/settings.js';
import { InvalidValueError, createConfigSchema, readJson, readText } from '../../src/config/values.js';
import { thrownBy } from '../helpers/thrown-by.js';

function settingOf(key: string) {
  const setting = SETTINGS.find((setting) => setting.key === key);
  if (setting === undefined) throw new Error(`There is no setting ${key}.`);
  return setting;
}

describe('a value in the environment', () => {
  test.each([
    ['port', '8000', '8000'],
    ['seed', 'a, b', 'a, b'],
    ['strict', 'TRUE', true],
    ['strict', 'off', false],
    ['retries', 'fast', 'fast'],
    ['events', 'pix.*,withdrawal.failed', 'pix.*,withdrawal.failed'],
    ['freeze', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
    ['allowHost', 'a.example, b.example,', ['a.example', 'b.example']],
    ['allowHost', 'a.example\nb.example\n', ['a.example', 'b.example']],
    [
      'assume',
      'charge.lifetime=15m,endpoint.signature=required',
      ['charge.lifetime=15m', 'endpoint.signature=required'],
    ],
    ['forwardTo', 'pix.*=3000\nwithdrawal.*=4000', ['pix.*=3000', 'withdrawal.*=4000']],
    ['header', 'accept: a, b', ['accept: a, b']],
  ])('reads %s: %j as %j', (key, text, value) => {
    expect(readText(settingOf(key), text)).toEqual(value);
  });

  test.each([
    ['port', '70000', 'must be a whole number from 0 to 65535; got "70000"'],
    ['strict', 'maybe', 'must be true or false; got "maybe"'],
    ['retries', 'slow', 'must be real, fast, off; got "slow"'],
    ['rateLimit', '100/0s', 'must be requests per duration such as 100/1m; got "100/0s"'],
    ['autoSettle', '5s~2s', `must be ${DELAY_FORMS}; got "5s~2s"`],
    [
      'freeze',
      '2026-02-30T12:00:00Z',
      'must be an instant such as 2026-01-31T12:00:00Z; got "2026-02-30T12:00:00Z"',
    ],
    ['concurrency', '0', 'must be a whole number from 1 to 64; got "0"'],
    ['seed', '  ', 'must be a non-empty string; got "  "'],
    ['assume', 'charge.lifetime', 'must be id=value; got "charge.lifetime"'],
    ['assume', 'charge.life=1d', 'cannot be used: Unknown assumption charge.life'],
    ['env', 'PIX_TOKEN', 'must be NAME=SOURCE; got "PIX_TOKEN"'],
    ['route', 'https://a.example', 'must be from=to; got "https://a.example"'],
  ])('rejects for %s the value %j', (key, text, message) => {
    expect(thrownBy(() => readText(settingOf(key), text), InvalidValueError).message).toBe(message);
  });
});

describe('a value in a file', () => {
  test.each([
    ['port', 8000, '8000'],
    ['seed', 7, '7'],
    ['strict', false, false],
    ['events', ['pix.*', 'withdrawal.failed'], 'pix.*,withdrawal.failed'],
    ['origin', 'https://a.example', ['https://a.example']],
    ['origin', ['https://a.example', 'https://b.example'], ['https://a.example', 'https://b.example']],
    ['origin', [], []],
    ['env', { A: 'SANDBOX_URL', B: '{SANDBOX_URL}/b' }, ['A=SANDBOX_URL', 'B={SANDBOX_URL}/b']],
    ['assume', { 'charge.lifetime': '15m' }, ['charge.lifetime=15m']],
    ['route', { 'https://a.example': 'http://localhost:3000' }, ['https://a.example=http://localhost:3000']],
  ])('reads %s: %j as %j', (key, json, value) => {
    expect(readJson(settingOf(key), json)).toEqual(value);
  });

  test.each([
    ['port', '8000', 'must be a whole number from 0 to 65535; got "8000"'],
    ['port', 80.5, 'must be a whole number from 0 to 65535; got 80.5'],
    ['host', 7, 'must be a string; got 7'],
    ['seed', true, 'must be a string or a number; got true'],
    ['strict', 'true', 'must be true or false; got "true"'],
    ['events', 7, 'must be a string or an array of strings; got 7'],
    ['events', ['pix.*', 7], 'must be an array of strings; got 7'],
    ['origin', { a: 'b' }, 'must be a string or an array of strings; got {"a":"b"}'],
    ['route', { a: 7 }, 'must be a string; got 7'],
    ['route', 7, 'must be a string, an array of strings, or an object of strings; got 7'],
    ['assume', [''], 'must be non-empty items; got ""'],
  ])('rejects for %s the value %j', (key, json, message) => {
    expect(thrownBy(() => readJson(settingOf(key), json), InvalidValueError).message).toBe(message);
  });

  test('never prints a misplaced secret completely', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    for (const key of ['port', 'strict', 'retries', 'autoSettle', 'header']) {
      const { message } = thrownBy(() => readJson(settingOf(key), { secret }), InvalidValueError);
      expect(message).not.toContain(secret);
    }
  });
});

const FILE = fileURLToPath(new URL('../../fixtures/config/sandbox.config.schema.json', import.meta.url));

test('the published schema matches the settings (UPDATE_SCHEMA=1 writes it)', () => {
  const text = `${JSON.stringify(createConfigSchema(), null, 2)}\n`;
  if (process.env.UPDATE_SCHEMA) {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, text);
  }
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

describe('the schema', () => {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(createConfigSchema());

  function isRead(key: string, json: unknown): boolean {
    const setting = SETTINGS.find((setting) => setting.key === key);
    if (setting === undefined) return false;
    try {
      readJson(setting, json);
      return true;
    } catch (error) {
      if (error instanceof InvalidValueError) return false;
      throw error;
    }
  }

  test('contains every setting and no other key', () => {
    expect(validate({ $schema: 'x' })).toBe(true);
    expect(validate({ prot: 1 })).toBe(false);
  });

  test('accepts every value that is read', () => {
    const texts = [
      'on',
      'real',
      'approved',
      '5s',
      '1d12h',
      '2026-01-31T12:00:00Z',
      'a=b',
      'charge.lifetime=1h',
      '',
    ];
    const text = fc.oneof(fc.constantFrom(...texts), fc.string());
    const value = fc.oneof(
      text,
      fc.integer({ min: -1, max: 70_000 }),
      fc.boolean(),
      fc.constant(null),
      fc.array(text, { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom('charge.lifetime', 'signature.encoding', 'x'),
        fc.constantFrom('1h', 'hex', 'x'),
      ),
    );
    const refused = fc.check(
      fc.property(fc.constantFrom(...SETTINGS), value, ({ key }, json) => {
        return !isRead(key, json) || validate({ [key]: json });
      }),
      { numRuns: 3_000 },
    );
    expect(refused.counterexample, `seed ${refused.seed}`).toBeNull();
  });

  test.each([
    ['port', 70_000],
    ['retries', 'slow'],
    ['autoSettle', '5'],
    ['assume', { 'charge.lifetim': '1h' }],
    ['assume', { 'signature.encoding': 'base32' }],
    ['env', { A: 'SANDBOX_TOKN' }],
    ['env', { '2ND': 'SANDBOX_TOKEN' }],
    ['origin', [7]],
    ['seed', ''],
  ])('rejects %s: %j, which is not read either', (key, json) => {
    expect(validate({ [key]: json })).toBe(false);
    expect(isRead(key, json)).toBe(false);
  });
});
