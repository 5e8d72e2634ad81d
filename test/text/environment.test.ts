import { describe, expect, test } from 'vitest';
import { createEnvironmentBlock, WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { findMappingProblem, mapEnvironment } from '../../src/text/environment.js';

const BLOCK = createEnvironmentBlock('http://127.0.0.1:7490', WELL_KNOWN_CREDENTIALS);

describe('mapEnvironment', () => {
  test('adds own variables to the block, from names and templates', () => {
    const mapping = {
      PIX_TOKEN: 'SANDBOX_TOKEN',
      API_URL: '{SANDBOX_BASE_URL}/api',
      BOTH: '{SANDBOX_TOKEN}:{SANDBOX_TOKEN}',
      __proto__x: 'SANDBOX_URL',
    };
    expect(mapEnvironment(BLOCK, mapping)).toEqual({
      ...BLOCK,
      PIX_TOKEN: BLOCK.SANDBOX_TOKEN,
      API_URL: 'http://127.0.0.1:7490/api',
      BOTH: `${BLOCK.SANDBOX_TOKEN}:${BLOCK.SANDBOX_TOKEN}`,
      __proto__x: BLOCK.SANDBOX_URL,
    });
    expect(mapEnvironment(BLOCK)).toEqual(BLOCK);
  });

  test('inserts values literally', () => {
    const block = { ...BLOCK, SANDBOX_TOKEN: '$& {SANDBOX_URL}' };
    expect(mapEnvironment(block, { A: 'SANDBOX_TOKEN' })).toEqual({ ...block, A: '$& {SANDBOX_URL}' });
  });

  test('omits variables whose source is not in the block', () => {
    const mapping = { SECRET: 'SANDBOX_WEBHOOK_SECRET', API_URL: '{SANDBOX_BASE_URL}/api' };
    expect(mapEnvironment({ SANDBOX_WEBHOOK_SECRET: 's' }, mapping)).toEqual({
      SANDBOX_WEBHOOK_SECRET: 's',
      SECRET: 's',
    });
  });
});

describe('findMappingProblem', () => {
  test.each([
    ['PIX_TOKEN', 'SANDBOX_TOKEN'],
    ['_a1', 'Bearer {SANDBOX_TOKEN} of {SANDBOX_ACCOUNT_ID}'],
  ])('accepts %s from %s', (name, source) => {
    expect(findMappingProblem(name, source)).toBeUndefined();
  });

  test.each([
    ['', 'SANDBOX_TOKEN', 'has the invalid name ""; use letters, digits and underscores, as in PIX_TOKEN'],
    ['PIX-TOKEN', 'SANDBOX_TOKEN', 'has the invalid name "PIX-TOKEN";'],
    ['2ND', 'SANDBOX_TOKEN', 'has the invalid name "2ND";'],
    ['SANDBOX_TOKEN', 'SANDBOX_URL', 'has the name "SANDBOX_TOKEN", but names with SANDBOX_ are reserved'],
    [
      'A',
      'SANDBOX_TOKN',
      'has the unknown source "SANDBOX_TOKN". Did you mean SANDBOX_TOKEN? Use one of SANDBOX_URL,',
    ],
    ['A', 'http://localhost', 'has the unknown source "http://localhost". Use one of SANDBOX_URL,'],
    ['A', 'sk_live_0123456789abcdef0123', 'has the unknown source "sk_live_0123456789abcde….'],
    ['A', '', 'has the unknown source "".'],
    [
      'A',
      '{SANDBOX_BASE_URI}/api',
      'has the unknown source "SANDBOX_BASE_URI". Did you mean SANDBOX_BASE_URL?',
    ],
    ['A', '{}', 'has the unknown source "".'],
    ['A', '{toString}', 'has the unknown source "toString".'],
    [
      'A',
      '{SANDBOX_BASE_URL/api',
      'has an unmatched brace in "{SANDBOX_BASE_URL/api"; write a template such as',
    ],
    ['A', '{SANDBOX_BASE_URL}}', 'has an unmatched brace in "{SANDBOX_BASE_URL}}"'],
  ])('rejects %j from %j', (name, source, problem) => {
    expect(findMappingProblem(name, source)).toContain(problem);
  });
});
