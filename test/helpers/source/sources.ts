import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** The texts of source files by their path inside `src`, with `/` on every system. */
export type Sources = ReadonlyMap<string, string>;

/** One import of one file: of another file (its path inside `src`) or of a package. */
export interface Import {
  readonly file: string;
  readonly target: string;
  readonly isFile: boolean;
  /** Nothing of it is there when the program runs. */
  readonly isType: boolean;
  /** `import()`: it is loaded when it is asked for. */
  readonly isLazy: boolean;
  /** The names that are imported; empty when all of them are. */
  readonly names: readonly string[];
}

/** A node of the syntax tree, as far as the rules look into it. */
export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

export function readSources(folder: string): Sources {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll('\\', '/'),
  );
  return new Map(
    files
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
      .sort()
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );
}

const trees = new Map<string, Node>();

export function treeOf(text: string): Node {
  const tree: unknown = trees.get(text) ?? parsed(text);
  if (!isNode(tree)) throw new Error('Expected a syntax tree');
  trees.set(text, tree);
  return tree;
}

/** Markup and type assertions exclude each other, so a file is one or the other. */
function parsed(text: string): unknown {
  try {
    return parseAst(text, { lang: 'ts' });
  } catch {
    return parseAst(text, { lang: 'tsx' });
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes right below a node, each with the key under which it hangs. */
export function childrenOf(node: Node): [key: string, child: Node][] {
  const children: [string, Node][] = [];
  for (const key in node) {
    const value = node[key];
    if (Array.isArray(value)) for (const one of value) if (isNode(one)) children.push([key, one]);
    if (isNode(value)) children.push([key, value]);
  }
  return children;
}

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const [, child] of childrenOf(node)) walk(child, visit);
}

/** Everything that a file imports: statements, re-exports, `import()` and types written as `import('…')`. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  walk(treeOf(text), (node) => {
    const { source } = node;
    if (!isNode(source) || typeof source['value'] !== 'string') return;
    const specifier = source['value'];
    const isFile = specifier.startsWith('.');
    const resolved = path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
    found.push({
      file,
      target: isFile ? resolved : specifier,
      isFile,
      isType: isTypeOnly(node),
      isLazy: node.type === 'ImportExpression',
      names: specifiersOf(node).flatMap(({ imported, local }) => nameOf(imported ?? local)),
    });
  });
  return found;
}

const imports = new WeakMap<Sources, Import[]>();

export function allImports(sources: Sources): Import[] {
  const known = imports.get(sources);
  if (known !== undefined) return known;
  const found = Array.from(sources, ([file, text]) => importsOf(file, text))
    .flat()
    .map((one) => (sources.has(`${one.target}x`) ? Object.assign(one, { target: `${one.target}x` }) : one));
  imports.set(sources, found);
  return found;
}

function specifiersOf({ specifiers }: Node): Node[] {
  return Array.isArray(specifiers) ? specifiers.filter(isNode) : [];
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type')
    return true;
  const specifiers = specifiersOf(node);
  const isType = ({ importKind, exportKind }: Node) => importKind === 'type' || exportKind === 'type';
  return specifiers.length > 0 && specifiers.every(isType);
}

function nameOf(node: unknown): string[] {
  return isNode(node) && typeof node['name'] === 'string' ? [node['name']] : [];
}

/** The groups of files that lead back to themselves along these imports. */
export function cyclesOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, target, isFile } of imports) {
    if (isFile) targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const reach = new Map(Array.from(targets.keys(), (file) => [file, reachableFrom(file, targets)]));
  const groups = new Map<string, string[]>();
  for (const [file, reached] of reach) {
    if (!reached.has(file)) continue;
    const group = [...reached].filter((other) => reach.get(other)?.has(file)).sort();
    groups.set(group.join(' '), group);
  }
  return [...groups.values()];
}

function reachableFrom(start: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const open = [...(targets.get(start) ?? [])];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...(targets.get(file) ?? []));
  }
  return reached;
}
