import { SCENARIO } from './steps.js';
import type { JsonSchema } from './shape.js';

/** The JSON Schema of scenario files, made of the declaration that the parser uses. */
export function scenarioSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario of pix-sandbox',
    description:
      'Steps with expectations for `sandbox run`. Any text may refer to what an earlier step came to: ${order.id}.',
    ...SCENARIO.schema,
  };
}
