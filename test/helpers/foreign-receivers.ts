import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResultPromise } from 'execa';
import { execa } from 'execa';

const SOURCE = join(import.meta.dirname, '../soak/receivers');
const START_MS = 60_000;
const POLL_MS = 50;
const NPM_PACKAGES = [
  'express@5',
  'fastify@5',
  'koa@3',
  'hono@4',
  '@hono/node-server@1',
  'standardwebhooks@1',
];
/** Debian's packages belong to Debian's Python, and elsewhere to the first one. */
const PYTHONS = ['/usr/bin/python3', 'python3'];
const PYTHON_MODULES = 'flask, django, fastapi, uvicorn';

/** Expected result of `check` for one receiver. A pattern is an id, the beginning of ids, or `*` for all; the longest one decides. */
export interface ExpectedReceiver {
  /** The amount of `--order` is used, and the probe shows it once paid. */
  readonly amount?: boolean;
  /** Withdrawals are handled; otherwise `--without withdrawals` is used. */
  readonly withdrawals?: boolean;
  /** Checks with verdict fail or warn. */
  readonly fails: readonly string[];
  /** Checks affected by the same bug: fail, warn or not observed, but never pass. */
  readonly consequences?: readonly string[];
  /** Checks with verdict pass or not observed. */
  readonly mayBeUnobserved?: readonly string[];
  /** Checks with a verdict that depends on timing. */
  readonly either?: readonly string[];
  readonly exit: number;
  /** Regular expression that the explanation of the failures matches. */
  readonly says?: string;
  readonly neverSays?: string;
}

export const EXPECTED = JSON.parse(readFileSync(join(SOURCE, 'expected.json'), 'utf8')) as Readonly<
  Record<string, ExpectedReceiver>
>;

interface Language {
  /** Throws when the language or one of its packages is missing. */
  readonly prepare: (folder: string) => Promise<unknown>;
  readonly build?: (folder: string, file: string) => Promise<unknown>;
  readonly command: (file: string, port: number) => readonly string[];
}

const { PATH, HOME } = process.env;

function run(folder: string, [file = '', ...args]: readonly string[]): Promise<unknown> {
  return execa(file, args, { cwd: folder, env: { GOCACHE: join(folder, '../go-cache') } });
}

const sourceName = (file: string) => basename(file, extname(file));
let python = '';

const LANGUAGES: Readonly<Record<string, Language>> = {
  node: {
    prepare: async (folder) => {
      writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
      await run(folder, [
        'npm',
        'install',
        '--prefer-offline',
        '--fetch-retries=0',
        '--no-audit',
        ...NPM_PACKAGES,
      ]);
    },
    command: (file) => [process.execPath, file],
  },
  python: {
    prepare: async (folder) => {
      for (const candidate of PYTHONS) {
        const tried = await execa(candidate, ['-c', `import ${PYTHON_MODULES}`], {
          cwd: folder,
          reject: false,
        });
        if (tried.exitCode === 0) python = candidate;
        if (python !== '') return;
      }
      throw new Error(`Python has not all of ${PYTHON_MODULES}.`);
    },
    command: (file) => [python, file],
  },
  php: {
    prepare: (folder) => run(folder, ['php', '--version']),
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
  ruby: {
    prepare: (folder) => run(folder, ['ruby', '-e', 'require "sinatra/base"; require "webrick"']),
    command: (file) => ['ruby', file],
  },
  go: {
    prepare: (folder) => run(folder, ['go', 'version']),
    build: (folder, file) => run(folder, ['go', 'build', '-o', sourceName(file), file, 'shop.go']),
    command: (file) => [`./${sourceName(file)}`],
  },
  java: {
    prepare: (folder) => run(folder, ['javac', '-d', '.', 'Shop.java', 'Json.java']),
    build: (folder, file) => run(folder, ['javac', '-cp', '.', '-d', '.', file]),
    command: (file) => ['java', '-cp', '.', sourceName(file)],
  },
  perl: {
    prepare: (folder) => run(folder, ['perl', '-I.', '-MCharge', '-e', '1']),
    command: (file) => ['perl', '-I.', file],
  },
};

/** Copies of the receivers in a temporary folder, with what their languages need. */
export class ForeignReceivers implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-receivers-'));
  readonly #missing = new Map<string, Promise<string | undefined>>();

  constructor() {
    cpSync(SOURCE, this.#folder, { recursive: true });
    mkdirSync(join(this.#folder, 'tmp'));
  }

  /** Prepares the language of a receiver once; resolves to the reason why it is missing here, or to undefined. */
  missing(id: string): Promise<string | undefined> {
    const name = dirname(id);
    const known = this.#missing.get(name);
    if (known !== undefined) return known;
    const reason = languageOf(id)
      .prepare(join(this.#folder, name))
      .then(
        () => undefined,
        (error: Error) => `${name} is missing: ${error.message.split('\n')[0]}`,
      );
    this.#missing.set(name, reason);
    return reason;
  }

  /** Starts a receiver and waits until it listens. */
  async start(id: string, port: number, env: Readonly<Record<string, string>>): Promise<ForeignReceiver> {
    const language = languageOf(id);
    const folder = join(this.#folder, dirname(id));
    await language.build?.(folder, basename(id));
    const [file = '', ...args] = language.command(basename(id), port);
    const child = execa(file, args, {
      cwd: folder,
      env: {
        PATH,
        HOME,
        NODE_ENV: 'production',
        APP_ENV: 'production',
        TMPDIR: join(this.#folder, 'tmp'),
        ...env,
        PORT: String(port),
      },
      extendEnv: false,
      detached: true,
      reject: false,
      all: true,
      stdin: 'ignore',
    });
    const receiver = new ForeignReceiver(child);
    try {
      await receiver.listens(port);
    } catch (error) {
      await receiver[Symbol.asyncDispose]();
      throw error;
    }
    return receiver;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Running receiver, in a process group of its own. */
export class ForeignReceiver implements AsyncDisposable {
  readonly #child: ResultPromise;

  constructor(child: ResultPromise) {
    this.#child = child;
  }

  async listens(port: number): Promise<void> {
    const endsAt = performance.now() + START_MS;
    while (!(await accepts(port))) {
      if (this.#child.exitCode !== null)
        throw new Error(`The receiver ended: ${String((await this.#child).all)}`);
      if (performance.now() > endsAt) throw new Error('The receiver does not listen.');
      await delay(POLL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Its group has ended already.
    }
    await this.#child;
  }
}

function languageOf(id: string): Language {
  const language = LANGUAGES[dirname(id)];
  if (language === undefined) throw new Error(`No language for ${id}.`);
  return language;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
