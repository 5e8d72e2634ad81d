import { expect, test } from 'vitest';
import { crash } from '../helpers/store/crash.js';
import { Project } from '../helpers/e2e/e2e.js';

const crashes = Number(process.env.SOAK_CRASHES ?? 500);
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1_000_000));
const CRASH_MS = 3_000;

test(
  `a sandbox that is killed ${crashes} times loses nothing that it acknowledged (SOAK_SEED=${seed})`,
  { timeout: crashes * CRASH_MS + 60_000 },
  async () => {
    process.stdout.write(`Crashing ${crashes} times with SOAK_SEED=${seed}.\n`);
    using project = new Project();
    const result = await crash(project, { crashes, seed });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result.lost).toEqual([]);
    expect(result.inTheMiddle).toBeGreaterThan(crashes / 2);
  },
);
