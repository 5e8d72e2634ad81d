// Runs the soaks: all of them, or those that the words name as vitest takes them; `--day` is the working day alone.
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
const words = given.map((word) => (word === '--day' ? 'test/soak/simulated-day.test.ts' : word));
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.soak.config.ts'];
const { status } = spawnSync(process.execPath, [...vitest, ...words], { stdio: 'inherit' });
process.exitCode = status ?? 1;
