import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const MEASURES = 'test/bench/measures';

/** The modules that a measure bundles: those of its call, or of its constant. */
function modulesOf(name) {
  const text = readFileSync(join(MEASURES, name), 'utf8');
  return Array.from(text.matchAll(/\bbundle\(bench, ([^)]+)\)/g), ([, given]) => {
    const written = given.startsWith('[') ? given : constantIn(text, given);
    return runInNewContext(written);
  }).flat();
}

function constantIn(text, name) {
  const [, written] = new RegExp(`^const ${name} = ([^;]+);$`, 'm').exec(text) ?? [];
  if (written === undefined) throw new Error(`Expected a constant ${name}.`);
  return written;
}

const bundled = readdirSync(MEASURES).flatMap((name) => modulesOf(name).map((module) => [name, module]));

test('measures bundle modules of src', () => {
  expect(bundled.length).toBeGreaterThan(3);
});

test.each(bundled)('%s finds %s in src', (_, module) => {
  expect(existsSync(`src/${module}.ts`)).toBe(true);
});
