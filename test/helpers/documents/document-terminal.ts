import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { BIN, CACHE_HOME } from '../e2e/e2e.js';
import { tempFolder } from '../temp-folder.js';

/** Real time for a command to end, or for one that keeps running to say its next line. */
const PATIENCE_MS = 60_000;
const LEAVING_MS = 5_000;
/** Ports as documents write them; each run has others with as many digits, so that columns stay as they are. */
const SANDBOX_PORT = '7490';
const APP_PORT = '3000';
/** The folder as documents write it. */
const FOLDER = '/home/you/shop';
/** What `npm install` put there, for code of documents that imports it. */
const ROOT = join(import.meta.dirname, '../../..');
const INSTALLED = [
  ['pix-sandbox', ROOT],
  ['standardwebhooks', join(ROOT, 'node_modules/standardwebhooks')],
] as const;

/** Goes on where the last command left off: its folder, its variables, its exit code. */
const SCRIPT = `exec 2>&1
. "$1"; (exit "$2"); eval "$3"; code=$?
{ export -p; echo "cd '$PWD'"; } > "$1.next" && mv "$1.next" "$1"
exit $code`;
const RUNNING_SCRIPT = `exec 2>&1
. "$1"; eval "$3"`;

/** \`sandbox\` and \`pix-sandbox\`, with or without npx, are the built command; nothing else comes from the network. */
const shim = (name: string) => `#!/bin/sh
${name === 'npx' ? 'name=$1; shift' : `name=${name}`}
case $name in sandbox | pix-sandbox) ;; *) echo "npx: documents run nothing but pix-sandbox; got $name" >&2; exit 127 ;; esac
case $1 in start) shift; set -- start --port "$DOCUMENT_PORT" "$@" ;; esac
exec node '${BIN}' "$@"
`;

/** Java as the document types it, but for its slow compiler, which pays off in programs that run for minutes. */
const JAVA = `#!/bin/sh
PATH='${process.env.PATH ?? ''}' exec java -XX:TieredStopAtLevel=1 "$@"
`;

/** A command of a document that keeps running, and what it has said so far. */
export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #readable: (text: string) => string;
  readonly #progress = new EventEmitter();
  #output = '';
  #hasEnded = false;

  constructor(child: ChildProcess, readable: (text: string) => string) {
    this.#child = child;
    this.#readable = readable;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#progress.emit('progress');
    });
    child.once('close', () => {
      this.#hasEnded = true;
      this.#progress.emit('progress');
    });
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** The whole lines that came. */
  lines(): string[] {
    const text = this.#hasEnded ? this.#output.replace(/\n?$/, '\n') : this.#output;
    const lines = this.#readable(text).split('\n').slice(0, -1);
    return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
  }

  /** Waits until the lines are so; false where time is up or the command ends first. */
  async until(isSo: (lines: readonly string[]) => boolean, patienceMs = PATIENCE_MS): Promise<boolean> {
    const patience = AbortSignal.timeout(patienceMs);
    while (!isSo(this.lines())) {
      if (this.#hasEnded || patience.aborted) return false;
      await once(this.#progress, 'progress', { signal: patience }).catch(() => undefined);
    }
    return true;
  }

  /** Waits for its end; past the time limit it is killed. */
  async ended(patienceMs = PATIENCE_MS): Promise<void> {
    const isEnded = () => this.#hasEnded;
    if (await this.until(isEnded, patienceMs)) return;
    this.#signal('SIGKILL');
    await this.until(isEnded);
  }

  /** Ctrl-C in its terminal. */
  async leave(): Promise<void> {
    this.#signal('SIGINT');
    await this.ended(LEAVING_MS);
  }

  /** To everything that the command started. */
  #signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#hasEnded) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The machine of somebody who types what a document shows: a folder, a shell, ports and a state directory of its own. */
export class Terminal implements AsyncDisposable {
  readonly #home = tempFolder();
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #ports: readonly (readonly [written: string, real: string])[];
  readonly #folder = join(this.#home.path, 'shop');
  readonly #state = join(this.#home.path, 'shell');
  readonly #running = new Map<string, RunningCommand>();
  /** Of the last command that ended. */
  exitCode = 0;
  #hasDetached = false;

  private constructor(ports: readonly [string, string]) {
    const [sandboxPort, appPort] = ports;
    this.#ports = [
      [SANDBOX_PORT, sandboxPort],
      [APP_PORT, appPort],
    ];
    const shims = join(this.#home.path, 'bin');
    const programs = ['npx', 'sandbox', 'pix-sandbox'].map((name) => [name, shim(name)] as const);
    for (const [name, script] of [...programs, ['java', JAVA] as const]) {
      this.#home.write(`bin/${name}`, script);
      chmodSync(join(shims, name), 0o755);
    }
    this.#env = {
      PATH: [shims, dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: this.#home.path,
      XDG_STATE_HOME: join(this.#home.path, 'state'),
      XDG_CACHE_HOME: CACHE_HOME,
      NO_COLOR: '1',
      COLUMNS: '80',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      DOCUMENT_PORT: sandboxPort,
      PORT: appPort,
    };
    mkdirSync(this.#folder);
    mkdirSync(join(this.#folder, 'node_modules'));
    for (const [name, target] of INSTALLED) symlinkSync(target, join(this.#folder, 'node_modules', name));
    writeFileSync(this.#state, `cd '${this.#folder}'\n`);
  }

  /** Opens one whose folder holds copies of these files and folders. */
  static async open(parts: readonly string[] = []): Promise<Terminal> {
    const terminal = new Terminal([await freeShortPort(), await freeShortPort()]);
    for (const part of parts) terminal.#bring(part);
    if (!existsSync(join(terminal.#folder, 'package.json'))) terminal.#bring('package.json', '{}\n');
    return terminal;
  }

  #bring(part: string, content?: string): void {
    const target = join(this.#folder, part.split('/').at(-1) ?? '');
    if (content === undefined) cpSync(part, target, { recursive: true });
    else writeFileSync(target, content);
  }

  /** Saves what the document shows as a file. */
  save(name: string, lines: readonly string[]): void {
    writeFileSync(join(this.#folder, name), `${this.#real(lines.join('\n'))}\n`);
  }

  /** Runs a command to its end: what it wrote on both streams. Throws when it takes too long. */
  async run(command: string): Promise<string[]> {
    const running = this.#spawn(SCRIPT, command);
    await running.ended();
    this.exitCode = running.exitCode ?? 130;
    return running.lines();
  }

  /** Starts a command that keeps running, and waits for its first line. */
  async start(name: string, command: string): Promise<RunningCommand> {
    const running = this.#spawn(RUNNING_SCRIPT, command);
    this.#running.set(name, running);
    await running.until((lines) => lines.length > 0);
    return running;
  }

  /** Ends running commands, one after the other. */
  async leave(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#running.get(name)?.leave();
      this.#running.delete(name);
    }
  }

  #spawn(script: string, command: string): RunningCommand {
    this.#hasDetached ||= command.includes(' --detach');
    const words = [this.#state, String(this.exitCode), this.#real(command)];
    const child = spawn('sh', ['-c', script, 'sh', ...words], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new RunningCommand(child, (text) => this.#readable(text));
  }

  #real(command: string): string {
    return this.#ports.reduce((text, [written, real]) => withNumber(text, written, real), command);
  }

  #readable(output: string): string {
    const text = this.#ports.reduce((text, [written, real]) => withNumber(text, real, written), output);
    return text.replaceAll(this.#folder, FOLDER);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave([...this.#running.keys()].reverse());
    if (this.#hasDetached) await this.run('npx sandbox stop');
    this.#home[Symbol.dispose]();
  }
}

function withNumber(text: string, number: string, other: string): string {
  return text.replaceAll(new RegExp(`(?<![\\d.])${number}(?![\\d.])`, 'g'), other);
}

/** Ports that mean something in documents, or were given away: one that comes twice would be two things at once. */
const takenPorts = new Set([Number(SANDBOX_PORT), Number(APP_PORT)]);

/** A free port of four digits, another at each call. */
async function freeShortPort(): Promise<string> {
  for (;;) {
    const port = 4_000 + Math.floor(Math.random() * 5_000);
    if (takenPorts.has(port)) continue;
    takenPorts.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return String(port);
  }
}
