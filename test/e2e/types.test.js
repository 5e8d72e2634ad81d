import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { nameOf, STRICT_PROJECTS, writeStrictProject } from '../release/user/strict-projects.js';

const ROOT = join(import.meta.dirname, '../..');
const IMPORTED = /(?:from|import)\s*\(?["']([^"']+)["']/g;
const entries = Object.values(packageJson.exports).filter((entry) => typeof entry === 'object');
const SYSTEMS = ['import', 'require'];

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-types-'));
  const home = join(folder, 'node_modules/pix-sandbox');
  cpSync(join(ROOT, 'dist/types'), join(home, 'dist/types'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Adds the text of each declaration file that a file leads to, by its path. */
function declarationsOf(file, found) {
  if (found.has(file)) return;
  const text = readFileSync(file, 'utf8');
  found.set(file, text);
  for (const [, target] of text.matchAll(IMPORTED)) {
    if (!target.startsWith('.')) throw new Error(`${file} imports ${target}.`);
    declarationsOf(join(dirname(file), target.replace(/\.(c?)js$/, '.d.$1ts')), found);
  }
}

function declared(...types) {
  const found = new Map();
  for (const file of types) declarationsOf(join(ROOT, file), found);
  return found;
}

const DECLARED = entries.flatMap((entry) => SYSTEMS.map((system) => entry[system].types));

test.each(DECLARED)('%s needs no package and no types of Node', (types) => {
  const texts = [...declared(types).values()].join('\n');
  expect(texts).not.toMatch(/\bBuffer\b|\bNodeJS\.|<reference types|\bUint8Array</);
});

test.each(SYSTEMS)('the declarations for %s hold what is public', (system) => {
  const files = declared(...entries.map((entry) => entry[system].types));
  const all = [...files.values()].join('\n');
  // What shapes.d.ts exports, the main entry exports.
  const others = [...files].filter(([file]) => !/shapes\.d\.c?ts$/.test(file)).map(([, text]) => text);
  const names = [
    ...others.join('\n').matchAll(/^export (?:declare )?(?:interface|type|class|const|function) (\w+)/gm),
  ];
  expect(names.length).toBeGreaterThan(50);
  const timesNamed = (name) => all.match(new RegExp(`\\b${name}\\b`, 'g')).length;
  expect(names.map(([, name]) => name).filter((name) => timesNamed(name) < 2)).toEqual([]);
  expect(all).not.toMatch(/\b(?:World|Schema|Infer|ControlClient|Transport|dispatch)\b|@internal/);
  expect(all.length).toBeLessThan(80_000);
});

const COMMON_JS = { moduleResolution: 'node16', surroundings: '@types/node', isCommonJs: true };
const BUNDLED = { moduleResolution: 'bundler', surroundings: '@types/node', isCommonJs: false };
const BARE = { moduleResolution: 'nodenext', surroundings: 'nothing', isCommonJs: false };
const CHECKED = [COMMON_JS, BUNDLED, BARE];

test.each(CHECKED.map((project) => [nameOf(project), project]))(
  'a strict project compiles: %s',
  (_, project) => {
    expect(STRICT_PROJECTS).toContainEqual(project);
    const config = writeStrictProject(folder, project, join(ROOT, 'node_modules/@types'));
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config];
    let said = '';
    try {
      execFileSync(process.execPath, tsc, { encoding: 'utf8' });
    } catch (error) {
      said = error.stdout;
    }
    expect(said).toBe('');
  },
);
