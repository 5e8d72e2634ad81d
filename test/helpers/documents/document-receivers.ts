import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../free-port.js';
import { Lines } from '../cli/lines.js';
import { tempFolder } from '../temp-folder.js';
import type { WebhookVector } from '../signing/vectors.js';

const ROOT = join(import.meta.dirname, '../../..');
export const GUIDES = join(ROOT, 'fixtures/guides');
const VECTOR_READERS = join(ROOT, 'test/fixtures/guides');

/** A language that has a guide: the code beside the page, and how it is run in a shell. */
export interface Language {
  /** The page, without `.md`. */
  readonly page: string;
  /** Of the fence that shows the code. */
  readonly tag: string;
  readonly file: string;
  /** What has to be installed, and how to ask whether it is. */
  readonly program: string;
  readonly probe: string;
  /** What the user types; the last part of it is the file. */
  readonly run: string;
  /** What the user types to create a charge, in the folder of the guides; the last part of it is the file. */
  readonly request: string;
  /** What makes the programs below out of their source, once for all of them. */
  readonly build?: string;
  /** The same as one process that a signal ends, and the program that reads the vectors from stdin. */
  readonly serve: string;
  readonly vectors: string;
}

export const LANGUAGES: readonly Language[] = [
  {
    page: 'node',
    tag: 'js',
    file: 'receiver.mjs',
    request: 'node requests/charge.mjs',
    program: 'node',
    probe: '--version',
    run: 'node receivers/receiver.mjs',
    serve: 'exec node receiver.mjs',
    vectors: 'node vectors.mjs',
  },
  {
    page: 'python',
    tag: 'python',
    file: 'receiver.py',
    request: 'python3 requests/charge.py',
    program: 'python3',
    probe: '--version',
    run: 'python3 receivers/receiver.py',
    serve: 'exec python3 receiver.py',
    vectors: 'python3 vectors.py',
  },
  {
    page: 'go',
    tag: 'go',
    file: 'receiver.go',
    request: 'go run requests/charge.go',
    program: 'go',
    probe: 'version',
    run: 'go run receivers/receiver.go',
    build: 'go build -o receiver receiver.go && go test -c -o vectors.test receiver.go vectors_test.go',
    serve: 'exec ./receiver',
    vectors: './vectors.test',
  },
  {
    page: 'ruby',
    tag: 'ruby',
    file: 'receiver.rb',
    request: 'ruby requests/charge.rb',
    program: 'ruby',
    probe: '--version',
    run: 'ruby receivers/receiver.rb',
    serve: 'exec ruby receiver.rb',
    vectors: 'ruby vectors.rb',
  },
  {
    page: 'java',
    tag: 'java',
    file: 'Receiver.java',
    request: 'java requests/Charge.java',
    program: 'java',
    probe: '--version',
    run: 'java receivers/Receiver.java',
    // The best code is not worth its compiler's time here.
    build: 'javac -J-XX:TieredStopAtLevel=1 Receiver.java Vectors.java',
    serve: 'exec java -XX:TieredStopAtLevel=1 Receiver',
    vectors: 'java -XX:TieredStopAtLevel=1 Vectors',
  },
];

/** Why a program cannot be run here; undefined where it can. */
export async function whyNot({
  program,
  probe,
}: Pick<Language, 'program' | 'probe'>): Promise<string | undefined> {
  const { exitCode } = await execa(program, [probe], { reject: false });
  return exitCode === 0 ? undefined : `There is no ${program} here.`;
}

/** A receiver that runs as its guide says, in a folder and at a port of its own. */
export interface GuideReceiver extends AsyncDisposable {
  readonly url: string;
  /** What it printed. */
  readonly lines: Lines;
}

/** What a receiver printed about an order. */
export function linesWith({ lines }: GuideReceiver, code: string): string {
  return lines
    .text()
    .split('\n')
    .filter((line) => line.includes(code))
    .join('\n');
}

/** The receiver of a language and the reader of the vectors, ready to run, in a folder of their own. */
export interface Built extends Disposable {
  /** Runs the receiver. Throws when it does not begin to wait for webhooks. */
  readonly run: (secret: string) => Promise<GuideReceiver>;
  /** Whether the receiver takes each webhook for genuine, by at least one of the secrets. */
  readonly decisions: (vectors: readonly WebhookVector[]) => Promise<boolean[]>;
}

export async function build(language: Language): Promise<Built> {
  const folder = copies();
  const cwd = folder.path;
  if (language.build !== undefined) await execa('sh', ['-c', language.build], { cwd });
  return {
    run: (secret) => startReceiver(language.serve, cwd, secret),
    decisions: (vectors) => decisions(language, cwd, vectors),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Runs a receiver, a line of a shell, in a folder. Throws when it does not begin to wait for webhooks. */
export async function startReceiver(line: string, cwd: string, secret: string): Promise<GuideReceiver> {
  const port = await freePort();
  const env = { SANDBOX_WEBHOOK_SECRET: secret, PORT: String(port) };
  const child = execa('sh', ['-c', line], { cwd, env, stdin: 'ignore', reject: false });
  const lines = new Lines(child.stdout);
  const dispose = async () => {
    child.kill('SIGKILL');
    await child;
  };
  const url = `http://127.0.0.1:${port}/webhooks`;
  try {
    await lines.next(`Waiting for webhooks at ${url}`);
  } catch (error) {
    await dispose();
    throw new Error(`The receiver did not begin: ${(await child).stderr}`, { cause: error });
  }
  return { url, lines, [Symbol.asyncDispose]: dispose };
}

async function decisions(
  { vectors: command }: Language,
  cwd: string,
  vectors: readonly WebhookVector[],
): Promise<boolean[]> {
  const input = `${vectors.flatMap(vectorLines).join('\n')}\n`;
  const { stdout } = await execa('sh', ['-c', command], { cwd, input });
  const said = stdout.split('\n').filter((line) => line === 'true' || line === 'false');
  const asked = vectors.reduce((sum, { secrets }) => sum + secrets.length, 0);
  if (said.length !== asked) throw new Error(`Expected ${asked} decisions; got ${stdout}`);
  return vectors.map(({ secrets }) => said.splice(0, secrets.length).includes('true'));
}

/** Time, tolerance and secret; then the body and the headers in base64. A header that is missing is an empty one. */
function vectorLines({ now_s, tolerance_s, secrets, headers, body_base64 }: WebhookVector): string[] {
  const values = ['id', 'timestamp', 'signature'].map((name) =>
    Buffer.from(headers[`webhook-${name}`] ?? '').toString('base64'),
  );
  return secrets.map((secret) => [now_s, tolerance_s, secret, body_base64, ...values].join('\t'));
}

function copies() {
  const folder = tempFolder();
  for (const from of [join(GUIDES, 'receivers'), VECTOR_READERS]) {
    const files = readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name } of files) copyFileSync(join(from, name), join(folder.path, name));
  }
  return folder;
}
