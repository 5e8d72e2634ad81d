// Runs `npm test`, all parts at once: what waits for the processes that it started leaves the processors to the others.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Shown as they go on. */
const STARTING_PROCESSES = 'npm run build && vitest run --project e2e --project browser';
/** Shown when they have ended. */
const UNIT = 'vitest run --project unit';
/** Run when nothing else wants a processor. */
const STATIC = { lint: 'npm run lint', types: 'npm run typecheck' };

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

/** Shows what a line said when it has ended. */
async function quietly(name, line, { isPatient = false } = {}) {
  const env = isPatient ? { ...process.env, ...FEWER_COLLECTIONS } : process.env;
  const child = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  if (isPatient) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
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
  end(spawn(STARTING_PROCESSES, { shell: true, stdio: 'inherit' }), 'end to end'),
  quietly('unit', UNIT),
  ...Object.entries(STATIC).map(([name, line]) => quietly(name, line, { isPatient: true })),
]);
process.stderr.write(`\n${parts.map(({ words }) => words).join('\n')}\n`);
process.exitCode = parts.every(({ isRight }) => isRight) ? 0 : 1;
