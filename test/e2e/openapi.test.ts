import { expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { readDocuments } from '../helpers/openapi/openapi-documents.js';

test('the built sandbox serves the same OpenAPI documents as the sources', async () => {
  using project = new Project();
  await using sandbox = await project.start();
  const read = async (path: string): Promise<unknown> => (await fetch(sandbox.url + path)).json();
  const { service, control } = await readDocuments();
  const servers = [{ url: sandbox.url }];
  expect(await read('/openapi.json')).toEqual({ ...service, servers });
  expect(await read('/_sandbox/openapi.json')).toEqual({ ...control, servers });
});
