import { describe, expect, test } from 'vitest';
import { listBuiltInNames } from '../../../../src/cli/commands/run/scenarios.js';
import { completed } from '../../../helpers/cli/fake-prompter.js';

describe('run', () => {
  test('offers the built-in scenarios', async () => {
    const { asked, command } = await completed('run', ['paid'], { options: { fresh: true } });
    expect(asked[0]?.offered).toEqual(listBuiltInNames());
    expect(command).toBe('$ npx sandbox run paid --fresh');
  });
});
