import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../../client/run-file.js';
import { PROGRAM } from '../../text/program-name.js';

const PACKAGE = 'pix-sandbox';

/** How this process was started. */
export interface Start {
  readonly env: Environment;
  /** `process.argv[1]`: the file that Node was given, which may be a link to it. */
  readonly script: string;
  readonly cwd: string;
}

/** The words that start this program again from the same folder: installed in a project, on the PATH, or downloaded. */
export function programName({ env, script, cwd }: Start): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', PACKAGE))) return PROGRAM;
    if (folder === dirname(folder)) break;
  }
  return nameOnPath(env.PATH ?? '', script) ?? `npx ${PACKAGE}`;
}

/** Folders in node_modules do not count: package managers add them for as long as they run a command. */
function nameOnPath(path: string, script: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'));
  const own = realPath(script);
  // Another program may have the shorter name: ours is a link to this script, or a shim next to the longer one.
  const isOurs = (file: string) => own !== undefined && realPath(file) === own;
  return ['sandbox', PACKAGE].find((name) =>
    folders.some((folder) => {
      const file = join(folder, name);
      return existsSync(file) && (isOurs(file) || existsSync(join(folder, PACKAGE)));
    }),
  );
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
