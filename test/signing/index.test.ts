import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as signing from '../../src/signing/index.js';

describe('the public library', () => {
  test('exports these names and no others', () => {
    expect(Object.keys(signing).sort()).toEqual([
      'DEFAULT_REQUEST_SCHEME',
      'DEFAULT_TOLERANCE_S',
      'SecretFormatError',
      'canonicalParts',
      'canonicalRequest',
      'diagnoseRequest',
      'diagnoseWebhook',
      'signRequest',
      'signWebhook',
      'verifyRequest',
      'verifyWebhook',
      'webhookKey',
    ]);
  });

  test('never reads the system clock', () => {
    const folder = join(import.meta.dirname, '../../src/signing');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(10);
    const clocks = files.filter((file) =>
      /Date\.now\(\)(?! ?\/ ?1000\))|performance\.|setTimeout/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(clocks).toEqual([]);
  });
});
