import { expect, test } from 'vitest';
import type { RunOptions } from '../helpers/e2e/e2e.js';
import { Project } from '../helpers/e2e/e2e.js';

const SECRET = `whsec_${Buffer.from('the secret of an endpoint').toString('base64')}`;
/** Bytes that no text survives. */
const BODY = Buffer.from([0, 255, 13, 10, 0xc3, 0x28, 10]);

test('the built command signs and verifies stdin byte for byte', async () => {
  using project = new Project();
  const withInput = (input: RunOptions['input']) => ({ input, env: { SANDBOX_WEBHOOK_SECRET: SECRET } });
  const signed = await project.run(['sign', 'webhook'], withInput(BODY));
  expect(signed).toMatchObject({ exitCode: 0, stderr: '' });
  project.write('headers', signed.stdout);
  const verify = async (input: RunOptions['input']) =>
    (await project.run(['verify', '-', '--headers', 'headers'], withInput(input))).exitCode;
  expect(await verify(BODY)).toBe(0);
  expect(await verify(BODY.toString())).toBe(1);
  expect(await verify('')).toBe(1);
});
