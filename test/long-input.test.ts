import { describe, expect, test } from 'vitest';
import { parseVariableNames } from '../src/cli/commands/init/env-file.js';
import { findRoutes } from '../src/cli/commands/init/routes.js';
import { planHeaders } from '../src/cli/commands/listen/plan.js';
import { parseHeaderText } from '../src/cli/signatures/captured-webhook.js';
import { parseDuration } from '../src/contract/time.js';
import { parseOrigin } from '../src/core/identity/applications.js';
import { readJsonText } from '../src/schema/json-text.js';
import { diagnoseRequest, diagnoseWebhook } from '../src/signing/index.js';
import { matchesGlob } from '../src/text/globs.js';
import { redactHeaders, redactUrl } from '../src/text/redaction.js';
import { thrownBy } from './helpers/thrown-by.js';

/** Quadratic time on so many characters exceeds the test timeout. */
const LONG = 300_000;
const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';
const verifying = (text: string) =>
  diagnoseWebhook(
    { headers: { id: text, timestamp: text, signature: text }, body: text },
    { secrets: [{ name: 'own', secret: SECRET }], nowS: 1 },
  );
const requesting = (text: string) =>
  diagnoseRequest(
    {
      method: 'POST',
      target: `/${text.replaceAll(/[^!-~]/g, '/')}`,
      headers: { timestamp: text, nonce: text, signature: text },
      body: text,
    },
    { secret: 'secret', nowS: 1 },
  );

describe('untrusted input', () => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    'raw headers': (text) => parseHeaderText(Buffer.from(`a: b\nwebhook-id:x${text}\u0001`)),
    'JSON headers': (text) => parseHeaderText(Buffer.from(JSON.stringify({ a: text, [text]: '1' }))),
    'URLs to be shown': (text) => redactUrl(`https://${text}`) + redactUrl(text),
    'headers to be shown': (text) =>
      redactHeaders([
        ['location', text],
        [text, text],
      ]),
    'extra headers': (text) => thrownBy(() => planHeaders([`a: ${text}\u0001`]), Error),
    origins: (text) => thrownBy(() => parseOrigin(`https:${text}`), Error),
    durations: (text) => parseDuration(text),
    'dotenv files': (text) => parseVariableNames(text),
    'sources of an application': (text) =>
      ['a.js', 'a.py', 'urls.py', 'a.rb'].map((path) =>
        findRoutes([{ path, text: `router.use('/a', b)${text}`, isTest: false }]),
      ),
    globs: (text) => matchesGlob(`*${text}*`, text),
    'JSON texts': (text) => readJsonText(`{"${text}": [${text}`),
    signatures: verifying,
    requests: requesting,
  };

  const texts = [
    ' ',
    '\t',
    '\r',
    '0',
    '"',
    "'",
    '/',
    '\\',
    ':',
    '=',
    '@',
    '.',
    'a',
    'a;',
    '"\\',
    '//',
    'v1,',
    ', ',
    '1,',
  ];

  test.each(Object.entries(readers))('%s are parsed in linear time', (_, read) => {
    expect(() => texts.map((text) => read(text.repeat(LONG / text.length)))).not.toThrow();
  });

  test('locates values in long JSON with long keys', () => {
    const key = 'k'.repeat(LONG / 4);
    const text = `{"${key}": [\n${'1,\n'.repeat(LONG / 4)}2]}`;
    const json = readJsonText(text);
    if (!json.isJson) throw new Error(json.problem);
    const wrong = Array.from({ length: LONG / 4 }, (_, at) => at).filter(
      (at) => json.placeOf([key, at]).line !== at + 2,
    );
    expect(wrong).toEqual([]);
  });
});
