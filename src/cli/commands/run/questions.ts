import type { InvocationOf } from '../../program/declaration.js';
import type { Questions } from '../../prompts/asker.js';
import { oneLine } from '../../terminal/text.js';
import type { run } from './command.js';
import { builtInScenarios } from './scenario-files.js';

export const runQuestions: Questions<InvocationOf<typeof run>> = async (_, asker) => {
  const choices = builtInScenarios().map(({ name, description }) => {
    return { value: name, name, description: oneLine(description, 0) };
  });
  return { args: [await asker.choose('Which scenario?', choices)] };
};
