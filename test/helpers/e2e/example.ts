import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import packageJson from '../../../package.json' with { type: 'json' };
import { tempFolder } from '../temp-folder.js';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLES = join(ROOT, 'fixtures/examples');
/** What of our package runs. */
const OURS = ['bin', 'dist', 'package.json'];
const OTHERS = ['hono', '@hono/node-server', 'vitest'];

/** How a command ended. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of an example of the package, in a folder of its own where `pix-sandbox` is installed; gone when its `using` ends. */
export class Example implements Disposable {
  readonly #home = tempFolder();
  readonly folder = join(this.#home.path, 'example');
  readonly #bin = join(this.folder, 'node_modules/.bin');

  constructor(name: string) {
    cpSync(join(EXAMPLES, name), this.folder, { recursive: true });
    const modules = join(this.folder, 'node_modules');
    for (const part of OURS) {
      cpSync(join(ROOT, part), join(modules, packageJson.name, part), { recursive: true });
    }
    for (const other of OTHERS) link(join(ROOT, 'node_modules', other), join(modules, other));
    for (const [command, file] of Object.entries(packageJson.bin)) {
      link(join(modules, packageJson.name, file), join(this.#bin, command));
    }
    link(join(modules, 'vitest/vitest.mjs'), join(this.#bin, 'vitest'));
  }

  /** A script of its package.json. */
  script(name: string): string {
    const { scripts } = JSON.parse(this.read('package.json')) as { scripts: Record<string, string> };
    const script = scripts[name];
    if (script === undefined)
      throw new Error(`Expected a script ${name}; there are ${Object.keys(scripts).join(', ')}.`);
    return script;
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Changes a text that stands in the file once. */
  replace(file: string, text: string, by: string): void {
    const parts = this.read(file).split(text);
    if (parts.length !== 2)
      throw new Error(`Expected ${text} once in ${file}; got it ${parts.length - 1} times.`);
    writeFileSync(join(this.folder, file), parts.join(by));
  }

  /** Runs a command of a shell as `npm run` would, in an environment of its own. */
  async run(command: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const path = [this.#bin, dirname(process.execPath), process.env.PATH].join(delimiter);
    const { exitCode, stdout, stderr } = await execa('sh', ['-c', command], {
      cwd: this.folder,
      env: { PATH: path, HOME: this.#home.path, NO_COLOR: '1', ...env },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: 100_000,
    });
    return { exitCode, stdout, stderr };
  }

  [Symbol.dispose](): void {
    this.#home[Symbol.dispose]();
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
