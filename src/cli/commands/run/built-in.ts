import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../program/package-folder.js';

const SUFFIX = '.json';
const SCHEMA = 'scenario.schema.json';

function folder(): string {
  return join(packageFolder(), 'fixtures', 'scenarios');
}

export function builtInNames(): readonly string[] {
  return readdirSync(folder())
    .filter((name) => name.endsWith(SUFFIX) && name !== SCHEMA)
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

export function builtInPath(name: string): string {
  return join(folder(), name + SUFFIX);
}
