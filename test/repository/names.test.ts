import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNode, type Node, readSources, type Sources, treeOf } from '../helpers/source/sources.js';

const ROOT = join(import.meta.dirname, '../..');
/** Published types: each is an internal type of the same name, written out. */
const PUBLISHED = 'public-types.ts';
const CONJUNCTIONS = /^(?:because|until|when|where|while|unless|although|than|but|and|or|if)(?![a-z])/;
const PARTICIPLES = /^(?!need|seed|feed|speed)[a-z]*(?:ed|ought|told|kept|given|taken)(?![a-z])/;

interface Declaration {
  readonly name: string;
  readonly file: string;
  readonly isFunction: boolean;
}

/** The declarations that a file exports; those of overloads once. */
function declarationsOf(file: string, text: string): Declaration[] {
  const { body } = treeOf(text);
  const exported = (body as readonly Node[]).flatMap(({ type, declaration }) =>
    type === 'ExportNamedDeclaration' && isNode(declaration) ? declaration : [],
  );
  const found = exported.flatMap((node): Declaration[] => {
    const isFunction = node.type.includes('Function');
    const named = node['declarations'] ?? [node];
    return (named as readonly Node[]).flatMap(({ id }) =>
      isNode(id) && typeof id['name'] === 'string' ? { name: id['name'], file, isFunction } : [],
    );
  });
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

function nameProblems(sources: Sources): string[] {
  const all = [...sources].flatMap(([file, text]) => declarationsOf(file, text));
  const files = new Map<string, string[]>();
  for (const { name, file } of all)
    if (file !== PUBLISHED) files.set(name, [...(files.get(name) ?? []), file]);
  const shared = [...files].filter(([, found]) => found.length > 1);
  const dubious = all.filter(
    ({ name, isFunction }) => CONJUNCTIONS.test(name) || (isFunction && PARTICIPLES.test(name)),
  );
  return [
    ...shared.map(([name, found]) => `${name} is exported by ${found.join(' and ')}`),
    ...dubious.map(({ name, file }) => `${name} in ${file} is a participle or a conjunction`),
  ];
}

test('no two exported declarations share a name, and none is a participle or a conjunction', () => {
  const sources = readSources(join(ROOT, 'src'));
  expect([...sources].flatMap(([file, text]) => declarationsOf(file, text)).length).toBeGreaterThan(1000);
  expect(nameProblems(sources)).toEqual([]);
});

test.each([
  ['a shared name', { 'a.ts': 'export const one = 1;', 'b.ts': 'export interface one {}' }],
  ['a participle', { 'a.ts': 'export function told(): void {}' }],
  ['a conjunction', { 'a.ts': 'export const untilReached = 1;' }],
])('finds %s', (_, files) => {
  expect(nameProblems(new Map(Object.entries(files)))).toHaveLength(1);
});
