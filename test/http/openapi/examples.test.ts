import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeExamples } from '../../helpers/openapi/example-tour.js';
import { operationsOf, readDocuments } from '../../helpers/openapi/openapi-documents.js';

const FILE = new URL('../../../src/http/openapi/examples.json', import.meta.url);

/** Operations that take or answer all that there is. */
const WITHOUT = {
  service: [],
  control: ['exportState', 'getOpenapi', 'importState'],
};

test('the examples are what a sandbox answers (`UPDATE_EXAMPLES=1 npx vitest run test/http/openapi` writes them)', async () => {
  const made: unknown = JSON.parse(JSON.stringify(await makeExamples()));
  if (process.env.UPDATE_EXAMPLES) writeFileSync(FILE, `${JSON.stringify(made, null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(made);
});

test.each(['service', 'control'] as const)('every operation of the %s has one', async (door) => {
  const lacking = operationsOf((await readDocuments())[door]).filter(({ operation }) => {
    const { requestBody, responses } = operation;
    const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
    const body = requestBody?.required ? requestBody : undefined;
    const contents = [body, ...answers.map(([, answer]) => answer)].map(
      (part) => part?.content?.['application/json'],
    );
    return contents.some((content) => content !== undefined && !('example' in content));
  });
  expect(lacking.map(({ operation }) => operation.operationId).sort()).toEqual(WITHOUT[door]);
});
