import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('npm run soak runs every test that npm test runs in part', () => {
  const config = readFileSync(join(ROOT, 'vitest.soak.config.ts'), 'utf8');
  const inPart = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.[jt]s$/.test(name))
    .map((name) => `test/${name}`)
    .filter((file) =>
      /import \{ [^}]*\} from '[./]*helpers\/soak-scale\.js'/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
  expect(inPart.length).toBeGreaterThan(4);
  expect(inPart.filter((file) => !config.includes(`'${file}'`))).toEqual([]);
});
