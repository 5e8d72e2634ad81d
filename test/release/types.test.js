import { describe, expect, test } from 'vitest';
import { commonJsTypes, constantsOfTypes, reachableTypes, typesOfConstants } from '../../build.types.js';

function reached(files, ...entries) {
  return reachableTypes(entries, (file) => {
    if (!Object.hasOwn(files, file)) throw new Error(`There is no ${file}.`);
    return files[file];
  });
}

describe('the declarations that can be reached', () => {
  test.each([
    ['an import', "import { b } from './b.js';"],
    ['an import of types', "import type { B } from './b.js';"],
    ['an import of nothing', "import './b.js';"],
    ['a re-export', "export * from './b.js';"],
    ['a re-export over several lines', "export {\n  b,\n} from './b.js';"],
    ['a written type', 'export declare const b: import("./b.js").B;'],
  ])('are those behind %s', (_, text) => {
    expect(reached({ 'x/a.d.ts': text, 'x/b.d.ts': '', 'x/c.d.ts': '' }, 'x/a.d.ts')).toEqual(
      new Set(['x/a.d.ts', 'x/b.d.ts']),
    );
  });

  test('are found through other folders, over circles, and once for all entries', () => {
    const files = {
      'x/a.d.ts': "export * from './deep/b.js';",
      'x/deep/b.d.ts': "import type { A } from '../a.js';\nexport * from '../../y/c.js';",
      'y/c.d.ts': '',
      'x/d.d.ts': "export * from './deep/b.js';",
    };
    expect(reached(files, 'x/a.d.ts', 'x/d.d.ts')).toEqual(new Set(Object.keys(files)));
  });

  test('are not packages', () => {
    const text = "import type { Server } from 'node:http';\nimport x from 'some.js';";
    expect(reached({ 'a.d.ts': text }, 'a.d.ts')).toEqual(new Set(['a.d.ts']));
  });
});

test('the declarations for require lead to each other, and to nothing else that is new', () => {
  const text = [
    "import type { A } from './a.js';",
    'export * from "../b.js";',
    'export declare const c: import("./c.js").C;',
    "import type { D } from 'd.js';",
    "/** Serves './e.js'. */",
  ];
  expect(commonJsTypes(text.join('\n')).split('\n')).toEqual([
    "import type { A } from './a.cjs';",
    'export * from "../b.cjs";',
    'export declare const c: import("./c.cjs").C;',
    ...text.slice(3),
  ]);
});

describe('the types that are written out', () => {
  const SOURCE = [
    "import type * as states from './contract/states.js';",
    '/** What may be decided. */',
    'export type Decision = states.SessionDecision;',
    "export type Envelope = Omit<states.Body, 'type'>;",
  ].join('\n');

  test('become constants for tsc to infer, with their comments', () => {
    expect(constantsOfTypes(SOURCE, '../../src').split('\n').slice(0, 4)).toEqual([
      "import type * as states from '../../src/contract/states.js';",
      '/** What may be decided. */',
      'export const Decision = infer<states.SessionDecision>();',
      "export const Envelope = infer<Omit<states.Body, 'type'>>();",
    ]);
  });

  test('become types again, which import nothing and name each other', () => {
    const declarations = [
      "import type * as states from '../../src/contract/states.js';",
      '/** What may be decided. */',
      'export declare const Decision: "yes" | "no";',
      'export declare const Envelope: {',
      '    decision: states.SessionDecision;',
      '};',
    ].join('\n');
    expect(typesOfConstants(declarations, SOURCE).split('\n')).toEqual([
      '/** What may be decided. */',
      'export type Decision = "yes" | "no";',
      'export type Envelope = {',
      '    decision: Decision;',
      '};',
    ]);
  });
});
