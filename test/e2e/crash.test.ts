import { expect, test } from 'vitest';
import { crash } from '../helpers/store/crash.js';
import { Project } from '../helpers/e2e/e2e.js';

const SEED = Math.floor(Math.random() * 1_000_000);

test(`a sandbox that is killed 8 times loses nothing that it acknowledged (seed ${SEED})`, async () => {
  using project = new Project();
  const result = await crash(project, { crashes: 8, seed: SEED });
  expect(result.lost).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(40);
  expect(Math.min(result.received, result.inTheMiddle)).toBeGreaterThan(2);
});
