import { EventEmitter, once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';

/** Real time that a text gets to come. */
const PATIENCE_MS = 20_000;

export interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** An interactive shell, or another program, in a pseudo-terminal; it is killed when its `using` ends. */
export class Shell implements Disposable {
  readonly #pty: IPty;
  readonly #progress = new EventEmitter();
  #text = '';
  #read = 0;

  constructor(file: string, args: readonly string[], { cwd, env, columns = 100 }: ShellOptions) {
    this.#pty = spawn(file, [...args], { cols: columns, rows: 40, cwd, env: { ...env, TERM: 'xterm' } });
    this.#pty.onData((data) => {
      this.#text += data;
      this.#progress.emit('data');
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** All that came, with its escape sequences. */
  get output(): string {
    return this.#text;
  }

  /** Types keys: `\t` is TAB, `\r` is Enter, `\u0015` clears the line. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits for a text after what was waited for before, as a reader sees it; resolves to what came until its end. */
  async shows(wanted: string | RegExp): Promise<string> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const seen = stripVTControlCharacters(this.#text);
      const text = seen.slice(this.#read);
      const match = typeof wanted === 'string' ? found(text, wanted) : wanted.exec(text);
      if (match !== null) {
        const end = match.index + match[0].length;
        this.#read += end;
        return text.slice(0, end);
      }
      await once(this.#progress, 'data', { signal: patience }).catch(() => {
        throw new Error(`${String(wanted)} did not come; the terminal shows:\n${JSON.stringify(seen)}`);
      });
    }
  }

  [Symbol.dispose](): void {
    this.#pty.kill('SIGKILL');
  }
}

function found(text: string, wanted: string): { readonly index: number; readonly 0: string } | null {
  const index = text.indexOf(wanted);
  return index < 0 ? null : { index, 0: wanted };
}
