// What is published of the declarations that tsc writes, one for each file of the source.
import { posix } from 'node:path';

/** `from './a.js'`, `import './a.js'` and `import("./a.js")`. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)\.js['"]/g;

/** The declaration files that some of them lead to, with these themselves. `textOf` reads a file by its path. */
export function reachableTypes(entries, textOf) {
  const reached = new Set(entries);
  // A set that grows while it is walked is walked to its new end.
  for (const file of reached) {
    for (const [, target] of textOf(file).matchAll(RELATIVE_IMPORT)) {
      reached.add(posix.join(posix.dirname(file), `${target}.d.ts`));
    }
  }
  return reached;
}

/** The same declarations for `require`, whose files lead to their like. */
export function commonJsTypes(text) {
  return text.replaceAll(RELATIVE_IMPORT, (found) => found.replace(/\.js(['"])$/, '.cjs$1'));
}

const TYPE_ALIAS = /^export type (\w+) = (.+);$/gm;

/** tsc repeats a declared type by its name and writes an inferred one out: what these operators make of a type has no name. */
const INFER = `
declare function infer<Type>(): [Type] extends [string] ? keyof { [Name in Type & string]: 0 } : { [Name in keyof Type]: Type[Name] };
`;

/** Turns a file of type aliases into constants whose types tsc infers. `source` is the path to that file's folder. */
export function constantsOfTypes(text, source) {
  const constants = text.replaceAll(TYPE_ALIAS, 'export const $1 = infer<$2>();');
  return constants.replaceAll("from './", `from '${source}/`) + INFER;
}

/** Turns the declarations of those constants back into types, which are now written out. One that names another says so by its published name. */
export function typesOfConstants(declarations, text) {
  const types = declarations
    .replaceAll(/^import .+\n/gm, '')
    .replaceAll(/^export declare const (\w+): /gm, 'export type $1 = ');
  const aliases = [...text.matchAll(TYPE_ALIAS)];
  return aliases.reduce((written, [, name, original]) => written.replaceAll(original, name), types);
}
