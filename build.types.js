// Says which of the declarations that tsc writes, one for each file of the source, are for anybody to see.
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
