import { expect, test } from 'vitest';
import { pathFor } from '../../../src/cli/sandbox/present.js';

test('a path escapes its parts and names the application', () => {
  expect(pathFor(['charges', 'a/b?c'])).toBe('charges/a%2Fb%3Fc');
  expect(pathFor(['charges', 'x', 'settle'], { app: 'shop & co' })).toBe('charges/x/settle?app=shop+%26+co');
});
