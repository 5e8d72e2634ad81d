import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultPromise } from 'execa';
import { execa } from 'execa';
import { onTestFailed } from 'vitest';
import { runLine } from '../cli/cli-line.js';
import { Lines } from '../cli/lines.js';

/** The built command. */
export const BIN = join(import.meta.dirname, '../../../bin/sandbox.js');

/** Shared by all tests: Node 22 and newer cache compiled code there. */
export const CACHE_HOME = join(import.meta.dirname, '../../../node_modules/.cache');

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array | undefined;
}

/** How a command ended. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** A command that runs until it is told to leave; it is killed when its `await using` ends. */
export class Running implements AsyncDisposable {
  readonly stdout: Lines;
  readonly stderr: Lines;
  readonly #child: ResultPromise;

  constructor(child: ResultPromise) {
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('Expected pipes.');
    this.#child = child;
    this.stdout = new Lines(stdout);
    this.stderr = new Lines(stderr);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whoever reads its stdout goes away. */
  hangUp(): void {
    this.#child.stdout?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async ended(): Promise<Ran> {
    const { exitCode, signal } = await this.#child;
    return { stdout: this.stdout.text(), stderr: this.stderr.text(), exitCode, signal };
  }

  /** The first Ctrl-C, and the end. */
  async leave(): Promise<Ran> {
    this.signal('SIGINT');
    return this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child;
  }
}

interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A running `sandbox start --json`, and what its first line says. */
export class RunningSandbox extends Running {
  ready: Ready = { type: 'ready', url: '', pid: 0, env: {} };

  get url(): string {
    return this.ready.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** A value of the environment block. */
  env(name: string): string {
    return this.ready.env[name] ?? '';
  }
}

/** A project folder and a state directory of its own, with commands run in them; gone when its `using` ends. */
export class Project implements Disposable {
  readonly folder: string;
  readonly stateHome: string;
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'pix-sandbox-e2e-')));

  constructor() {
    this.stateHome = join(this.#root, 'state');
    // As installed in a folder above, so that texts name the program as they do there.
    mkdirSync(join(this.#root, 'node_modules/pix-sandbox'), { recursive: true });
    this.folder = this.newFolder('project');
  }

  /** A further project folder of the same user. */
  newFolder(name: string): string {
    const folder = join(this.#root, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{}\n');
    return folder;
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(join(this.folder, name), content);
    return name;
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { stdout, stderr, exitCode, signal } = await this.#execute(args, options);
    return { stdout, stderr, exitCode, signal };
  }

  /** Runs a command with `--json`, which must succeed: the one line on stdout. */
  async json<Answer>(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
    return answerOf(args, await this.run([...args, '--json'], options)) as Answer;
  }

  /** The same without a process, for what a test needs and is not about. */
  async ask<Answer>(args: readonly string[]): Promise<Answer> {
    const { folder: cwd } = this;
    return answerOf(args, await runLine([...args, '--json'], { cwd, env: this.#env })) as Answer;
  }

  spawn(args: readonly string[], options: RunOptions = {}): Running {
    return told(args, new Running(this.#execute(args, options)));
  }

  /** Starts a sandbox on a free port, or the one that is given, and waits until it is ready. */
  async start(args: readonly string[] = [], options: RunOptions = {}): Promise<RunningSandbox> {
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const all = ['start', '--json', ...port, ...args];
    const sandbox = told(all, new RunningSandbox(this.#execute(all, options)));
    sandbox.ready = await sandbox.stdout.nextJson<Ready>('ready');
    return sandbox;
  }

  /** Starts a listener that prints for people, and waits until it is ready. */
  async listen(args: readonly string[], options: RunOptions = {}): Promise<Running> {
    const listener = this.spawn(['listen', ...args], options);
    await listener.stderr.next('Ready.');
    return listener;
  }

  get #env(): Readonly<Record<string, string>> {
    return { HOME: this.#root, XDG_STATE_HOME: this.stateHome, XDG_CACHE_HOME: CACHE_HOME };
  }

  #execute(args: readonly string[], { cwd = this.folder, env, input }: RunOptions) {
    return execa(process.execPath, [BIN, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...this.#env, ...env },
      extendEnv: false,
      reject: false,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true });
  }
}

function answerOf(args: readonly string[], ran: Pick<Ran, 'exitCode' | 'stdout'>): unknown {
  const line = ran.stdout.trimEnd();
  if (ran.exitCode === 0 && /^\{.*\}$/.test(line)) return JSON.parse(line);
  throw new Error(`sandbox ${args.join(' ')}: expected one line of JSON; got ${JSON.stringify(ran)}`);
}

/** Does something with each item, a few at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** Prints what a command said when the test fails. */
function told<Command extends Running>(args: readonly string[], command: Command): Command {
  onTestFailed(() => {
    process.stderr.write(
      `\n$ sandbox ${args.join(' ')}\n${command.stdout.text()}--- stderr\n${command.stderr.text()}`,
    );
  });
  return command;
}
