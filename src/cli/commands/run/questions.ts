import { readFileSync } from 'node:fs';
import { parseScenario } from '../../../scenario/format/parse.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Questions } from '../../prompts/asker.js';
import { oneLine } from '../../terminal/text.js';
import { builtInNames, builtInPath } from './built-in.js';
import type { run } from './command.js';

export const runQuestions: Questions<InvocationOf<typeof run>> = async (_, asker) => {
  const choices = builtInNames().map((value) => {
    const { scenario } = parseScenario(readFileSync(builtInPath(value), 'utf8'));
    return { value, name: value, description: oneLine(scenario?.description ?? '', 0) };
  });
  return { args: [await asker.choose('Which scenario?', choices)] };
};
