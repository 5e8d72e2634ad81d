import { describe, expect, test } from 'vitest';
import { runQuestions } from '../../../src/cli/prompts/run.js';
import { builtInNames } from '../../../src/cli/scenario-files.js';
import { completed } from '../../helpers/fake-asker.js';

describe('run', () => {
  test('offers the scenarios that are built in', async () => {
    const { asked, command } = await completed(runQuestions, ['paid'], { options: { fresh: true } });
    expect(asked[0]?.offered).toEqual(builtInNames());
    expect(command).toBe('$ npx pix-sandbox run paid --fresh');
  });
});
