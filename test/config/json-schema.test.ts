import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configSchema, readJson, WrongValue } from '../../src/config/values.js';
import { SETTINGS } from '../../src/config/settings.js';

const FILE = fileURLToPath(new URL('../../fixtures/config/sandbox.config.schema.json', import.meta.url));

test('the schema that is shipped is the one of the settings (UPDATE_SCHEMA=1 writes it)', () => {
  const text = `${JSON.stringify(configSchema(), null, 2)}\n`;
  if (process.env.UPDATE_SCHEMA) {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, text);
  }
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

describe('the schema', () => {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(configSchema());

  function isRead(key: string, json: unknown): boolean {
    const setting = SETTINGS.find((setting) => setting.key === key);
    if (setting === undefined) return false;
    try {
      readJson(setting, json);
      return true;
    } catch (error) {
      if (error instanceof WrongValue) return false;
      throw error;
    }
  }

  test('knows every setting and no other key', () => {
    expect(validate({ $schema: 'x' })).toBe(true);
    expect(validate({ prot: 1 })).toBe(false);
  });

  test('refuses nothing that is read', () => {
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
    ['port', '7490'],
    ['strict', 'yes'],
    ['retries', 'slow'],
    ['autoSettle', '5'],
    ['freeze', 'tomorrow'],
    ['assume', { 'charge.lifetim': '1h' }],
    ['assume', { 'signature.encoding': 'base32' }],
    ['origin', [7]],
    ['seed', ''],
  ])('refuses %s: %j, which is not read either', (key, json) => {
    expect(validate({ [key]: json })).toBe(false);
    expect(isRead(key, json)).toBe(false);
  });
});
