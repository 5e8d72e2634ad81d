import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { MODULES } from './helpers/source/modules.js';
import type { Import, Node, Sources } from './helpers/source/sources.js';
import {
  allImports,
  childrenOf,
  cyclesOf,
  isNode,
  readSources,
  treeOf,
  walk,
} from './helpers/source/sources.js';

/** Surfaces of `http` that know nothing of each other. */
const CALL_APIS = ['http/service/', 'http/hosted/', 'http/control/'];

/** What would make the core depend on the machine or the moment. */
const CORE_FORBIDS = new Set(
  `Date Intl performance crypto fetch process Buffer globalThis console require URL WeakRef Promise
  setTimeout setInterval setImmediate queueMicrotask`.split(/\s+/),
);

const MOST_LINES = 500;

/** Types may refer to each other, but whoever reads one of these files should not have to read many others. */
const MOST_IN_CYCLE = 3;

/** A search for a file should not list many of the same name; each folder may have an index. */
const MOST_OF_A_NAME = 5;

function moduleOf(file: string): string {
  return file.split('/')[0]?.replace(/\.tsx?$/, '') ?? '';
}

function mayImport({ file, target, isFile, isType }: Import): boolean {
  const module = moduleOf(file);
  if (isFile && moduleOf(target) === module) return true;
  const names = isFile ? [moduleOf(target), target.replace(/\.tsx?$/, '')] : [target];
  return (MODULES[module]?.imports ?? []).some((entry) => {
    const allowed = entry.replace(/^type /, '');
    if (entry !== allowed && !isType) return false;
    if (!isFile)
      return target === allowed || target.startsWith(allowed === 'node:' ? allowed : `${allowed}/`);
    return names.includes(allowed);
  });
}

/** Who imports what it may not. */
function layerProblems(sources: Sources): string[] {
  const strangers = [...new Set(Array.from(sources.keys(), moduleOf))].filter(
    (module) => !Object.hasOwn(MODULES, module),
  );
  return [
    ...strangers.map((module) => `${module} is not in the table of modules`),
    ...allImports(sources)
      .filter((one) => !mayImport(one))
      .map(({ file, target, isType }) => `${file} imports ${isType ? 'types of ' : ''}${target}`),
  ];
}

function apiProblems(sources: Sources): string[] {
  const selectSurface = (file: string) => CALL_APIS.find((api) => file.startsWith(api));
  return allImports(sources)
    .filter(({ file, target }) => selectSurface(file) !== undefined && selectSurface(target) !== undefined)
    .filter(({ file, target }) => selectSurface(file) !== selectSurface(target))
    .map(({ file, target }) => `${file} imports another api, ${target}`);
}

/**
 * What is loaded together is without cycles, so that nothing is used before it is there; a few files of one module
 * may refer to each other by types and lazy imports. The world is below everything that is about it.
 */
function cycleProblems(sources: Sources): string[] {
  const imports = allImports(sources);
  const ofValues = cyclesOf(imports.filter(({ isType, isLazy }) => !isType && !isLazy));
  const refused = cyclesOf(imports).filter(
    (files) =>
      new Set(files.map(moduleOf)).size > 1 ||
      files.length > MOST_IN_CYCLE ||
      files.includes('core/world.ts'),
  );
  return [...ofValues, ...refused].map((files) => `a cycle: ${files.join(', ')}`);
}

function nameProblems(sources: Sources): string[] {
  const basename = (file: string) => path.posix.basename(file);
  return [...new Set(Array.from(sources.keys(), basename))]
    .map((name) => [name, [...sources.keys()].filter((file) => basename(file) === name)] as const)
    .filter(([name, files]) => !name.startsWith('index.') && files.length > MOST_OF_A_NAME)
    .map(([name, files]) => `${name} names ${files.length} files: ${files.join(', ')}`);
}

/** The core waits for nothing, and asks neither the clock nor chance nor the machine. */
function coreProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => moduleOf(file) === 'core')
    .flatMap(([file, text]) => forbiddenIn(treeOf(text)).map((word) => `${file} uses ${word}`));
}

function forbiddenIn(tree: Node): string[] {
  const found: string[] = [];
  const look = (node: Node): void => {
    if (node.type === 'AwaitExpression') found.push('await');
    if (node['async'] === true) found.push('async');
    if (
      node.type === 'MemberExpression' &&
      nameOf(node['object']) === 'Math' &&
      nameOf(node['property']) === 'random'
    ) {
      found.push('Math.random');
    }
    const name = node.type === 'Identifier' ? nameOf(node) : '';
    if (CORE_FORBIDS.has(name)) found.push(name);
    for (const [key, child] of childrenOf(node)) {
      const isJustAName = (key === 'property' || key === 'key') && node['computed'] === false;
      if (!isJustAName) look(child);
    }
  };
  look(tree);
  return found;
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node['name'] === 'string' ? node['name'] : '';
}

/** Functions of the core that take a `Step` change the world: only `dispatch` of the sandbox leads to them. */
function changeProblems(sources: Sources): string[] {
  const changing = new Map(
    Array.from(sources)
      .filter(([file]) => moduleOf(file) === 'core')
      .map(([file, text]) => [file, changingFunctions(treeOf(text))]),
  );
  const isChanging = (target: string, name: string) =>
    changing.get(target)?.has(name) === true || (target === 'core/apply.ts' && name === 'apply');
  return allImports(sources)
    .filter(({ file, isType }) => !isType && !['core', 'sandbox'].includes(moduleOf(file)))
    .flatMap(({ file, target, names }) =>
      names
        .filter((name) => isChanging(target, name))
        .map((name) => `${file} changes the world itself by ${name}`),
    );
}

function changingFunctions(tree: Node): Set<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    if (node.type !== 'FunctionDeclaration' || !Array.isArray(node['params'])) return;
    const [first]: unknown[] = node['params'];
    let takesStep = false;
    if (isNode(first) && isNode(first['typeAnnotation'])) {
      walk(first['typeAnnotation'], (part) => (takesStep ||= nameOf(part) === 'Step'));
    }
    if (takesStep) names.add(nameOf(node['id']));
  });
  return names;
}

function lengthProblems(sources: Sources): string[] {
  return [...sources]
    .map(([file, text]) => [file, text.replace(/\n$/, '').split('\n').length] as const)
    .filter(([, lines]) => lines > MOST_LINES)
    .map(([file, lines]) => `${file} has ${lines} lines; more than ${MOST_LINES} want to be two files`);
}

const RULES = {
  'imports only what its module may': layerProblems,
  'separates its APIs': apiProblems,
  'has no cycles of values or many files': cycleProblems,
  'has a core that depends on nothing': coreProblems,
  'changes the world in one place': changeProblems,
  'has short files': lengthProblems,
  'has names that differ': nameProblems,
};

describe('the source', () => {
  const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)));

  test('contains files', () => {
    expect(sources.size).toBeGreaterThan(80);
    expect(sources.has('core/apply.ts')).toBe(true);
  });

  test.each(Object.entries(RULES))('follows the layers: %s', (_, problemsOf) => {
    expect(problemsOf(sources)).toEqual([]);
  });
});

/** A rule is trusted because it has been seen to fail. */
describe('each rule', () => {
  const STEP = 'export function move(step: Step): void {}\nexport function read(world: World): void {}';

  test.each<[string, Record<string, string>, (sources: Sources) => string[]]>([
    [
      'a module below',
      { 'core/a.ts': "import { b } from '../sandbox/b.js';", 'sandbox/b.ts': '' },
      layerProblems,
    ],
    ['Node in the core', { 'core/a.ts': "import 'node:fs';" }, layerProblems],
    ['a package in the wrong module', { 'sandbox/a.ts': "import { Hono } from 'hono';" }, layerProblems],
    ['a package of a similar name', { 'http/a.ts': "import { x } from 'hono-extras';" }, layerProblems],
    ['a lazy import', { 'sandbox/a.ts': "const x = () => import('../http/b.js');" }, layerProblems],
    ['a re-export', { 'sandbox/a.ts': "export * from '../http/b.js';" }, layerProblems],
    ['a written type', { 'core/a.ts': "type X = import('../http/b.js').X;" }, layerProblems],
    [
      'a value where only types are allowed',
      { 'delivery/a.ts': "import { b } from '../core/b.js';" },
      layerProblems,
    ],
    ['a value among types', { 'delivery/a.ts': "import { type A, b } from '../core/b.js';" }, layerProblems],
    [
      'a file where another is allowed',
      { 'cli/a.ts': "import { apply } from '../core/apply.js';" },
      layerProblems,
    ],
    ['an unlisted module', { 'helpers/a.ts': '' }, layerProblems],
    ['another API', { 'http/service/a.ts': "import { b } from '../control/b.js';" }, apiProblems],
    [
      'the types of another API',
      { 'http/hosted/a.ts': "import type { B } from '../service/b.js';" },
      apiProblems,
    ],
    [
      'a cycle of values',
      {
        'core/a.ts': "import { b } from './b.js';",
        'core/b.ts': "import { c } from './c.js';",
        'core/c.ts': "import { a } from './a.js';",
      },
      cycleProblems,
    ],
    [
      'a cycle of types between modules',
      {
        'http/a.ts': "import type { B } from '../client/b.js';",
        'client/b.ts': "import type { A } from '../http/a.js';",
      },
      cycleProblems,
    ],
    [
      'a cycle of many types',
      {
        'core/a.ts': "import type { B } from './b.js';",
        'core/b.ts': "export type { C } from './c.js';",
        'core/c.ts': "export const d = () => import('./d.js');",
        'core/d.ts': "import { type A } from './a.js';",
      },
      cycleProblems,
    ],
    [
      'a cycle with the world',
      {
        'core/world.ts': "import type { A } from './a.js';",
        'core/a.ts': "import type { World } from './world.js';",
      },
      cycleProblems,
    ],
    ['a clock', { 'core/a.ts': 'export const now = () => Date.now();' }, coreProblems],
    ['a date type', { 'core/a.ts': 'export type When = Date;' }, coreProblems],
    ['chance', { 'core/a.ts': 'export const x = Math.random();' }, coreProblems],
    ['a timer', { 'core/a.ts': 'setTimeout(() => {}, 1);' }, coreProblems],
    ['the network', { 'core/a.ts': "fetch('x');" }, coreProblems],
    ['the process', { 'core/a.ts': 'export const x = process.env;' }, coreProblems],
    ['waiting', { 'core/a.ts': 'export const x = await 1;' }, coreProblems],
    ['a function that waits', { 'core/a.ts': 'export async function x() {}' }, coreProblems],
    [
      'an API that changes the world',
      { 'core/a.ts': STEP, 'http/b.ts': "import { move } from '../core/a.js';" },
      changeProblems,
    ],
    [
      'an API that applies commands',
      { 'http/b.ts': "import { apply as go } from '../core/apply.js';" },
      changeProblems,
    ],
    [
      'a name of many files',
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((module) => [`${module}/plan.ts`, ''])),
      nameProblems,
    ],
    ['a long file', { 'core/a.ts': '\n'.repeat(MOST_LINES + 1) }, lengthProblems],
  ])('rejects %s', (_, files, problemsOf) => {
    expect(problemsOf(new Map(Object.entries(files)))).toHaveLength(1);
  });

  test('accepts what is allowed', () => {
    const fine = new Map([
      [
        'core/a.ts',
        `import type { B } from './b.js';\nconst date = { fetch: 1, Date: 2 };\ndate.fetch; // Date, await\n${STEP}`,
      ],
      ['core/b.ts', "import { read } from './a.js';\nexport const text = 'process';"],
      ['delivery/a.ts', "import type { B } from '../core/b.js';\nimport { get } from 'node:http';"],
      [
        'http/service/a.ts',
        "import { read } from '../../core/a.js';\nimport { x } from 'hono/utils/http-status';",
      ],
      ['http/service/b.ts', "import { y } from './a.js';"],
    ]);
    for (const problemsOf of Object.values(RULES)) expect(problemsOf(fine)).toEqual([]);
  });
});
