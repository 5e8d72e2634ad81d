// Loads all that is mutated before the first test. What a test loads is loaded once for all of them, and Stryker would ask that test alone about it.
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { mutatedFiles } from './mutants.js';

const ROOT = join(import.meta.dirname, '../..');

const files = readdirSync(join(ROOT, 'src'), { recursive: true }).map(
  (name) => `src/${name.replaceAll(sep, '/')}`,
);
await Promise.all(mutatedFiles(files).map((file) => import(join(ROOT, file))));
