import type { JsonSchema } from '../../schema/json-schema.js';
import { SCENARIO } from './steps.js';

/** The JSON Schema of scenario files, from the declaration that the parser uses. */
export function scenarioSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of pix-sandbox',
    description:
      'Steps with expectations for `sandbox run`. Any text may refer to the result of an earlier step: ${order.id}.',
    ...SCENARIO.json,
  };
}
