// Runs `npm test`: lint and types beside the tests, which leave the processors idle while they wait for what they started.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

const TESTS = 'npm run build && vitest run';
const BESIDE = { lint: 'npm run lint', types: 'npm run typecheck' };

/** Makes the type checkers collect garbage less often, for a tenth more memory and a third less time of a processor. */
const FEWER_COLLECTIONS = { GOGC: '400' };

const startedAt = performance.now();

/** Resolves to how a line of a shell ended, in words, and to whether it succeeded. */
function end(child, name) {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const how = code === 0 ? 'passed' : `failed with ${signal ?? code}`;
      resolve({ isRight: code === 0, words: `${name} ${how} after ${seconds} s` });
    });
  });
}

/** Runs a line when nothing else wants a processor, and shows what it said when it has ended. */
async function runBeside([name, line]) {
  const env = { ...process.env, ...FEWER_COLLECTIONS };
  const child = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const ended = await end(child, name);
  process.stderr.write(`${said}${ended.words}\n`);
  return ended;
}

const parts = await Promise.all([
  end(spawn(TESTS, { shell: true, stdio: 'inherit' }), 'tests'),
  ...Object.entries(BESIDE).map(runBeside),
]);
process.stderr.write(`\n${parts.map(({ words }) => words).join('\n')}\n`);
process.exitCode = parts.every(({ isRight }) => isRight) ? 0 : 1;
