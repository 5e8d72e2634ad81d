import { readFileSync } from 'node:fs';
import { parseScenario } from '../../../scenario/format/parse.js';
import { builtInNames, builtInPath } from './scenario-files.js';
import { oneLine } from '../../terminal/text.js';
import type { LegacyQuestions } from '../../prompts/questions.js';

/** Which of the scenarios that come with the package. */
export const runQuestions: LegacyQuestions = {
  command: 'run',
  ask: async (_, asker) => {
    const choices = builtInNames().map((value) => {
      const { scenario } = parseScenario(readFileSync(builtInPath(value), 'utf8'));
      return { value, name: value, description: oneLine(scenario?.description ?? '', 0) };
    });
    return { args: [await asker.choose('Which scenario?', choices)] };
  },
};
