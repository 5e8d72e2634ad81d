import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlClient } from '../../../src/client/control.js';
import { createSocketClient } from '../../../src/client/socket.js';
import { EXAMPLE_IDS } from '../../../src/cli/program/shared-options.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { signWebhook } from '../../../src/signing/webhook.js';
import type { FakeIoOptions, Ran } from '../cli/cli-io.js';
import { freePort } from '../free-port.js';
import type { RunningLine } from '../cli/cli-line.js';
import { runLine, startLine, wordsOf } from '../cli/cli-line.js';
import type { TempFolder } from '../temp-folder.js';
import { tempFolder } from '../temp-folder.js';

/** The instant that examples name. */
export const STAGE_INSTANT = '2026-01-31T12:00:00Z';
const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const HOOKS = 'https://shop.example';
/** What `calls show` and `calls diff` name in their examples. */
const REQUEST_IDS = ['req_0123', 'req_4567'];

/** What examples need beyond what the stage has, by the command that they call. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'withdrawals settle': ['withdrawals process payout-1'],
  'withdrawals return': ['withdrawals process payout-1', 'withdrawals settle payout-1'],
  'endpoints enable': [`endpoints disable ${EXAMPLE_IDS.endpoint}`],
  'deliveries resume': ['deliveries pause'],
  'incident stop': ['incident start api-down'],
  verify: ['charges settle order-1'],
};

/**
 * A sandbox, `start --seed 7 --freeze 2026-01-31T12:00:00Z`, that has what examples name: a charge order-1 and a withdrawal
 * payout-1 that are pending, a dead letter, a delivered event, a session, a fault, a call, two snapshots; and a folder with
 * the files that they name.
 */
export class ExampleStage implements AsyncDisposable {
  readonly server: SandboxServer;
  readonly folder: TempFolder;
  readonly env: Readonly<Record<string, string>>;
  readonly #receiver: Receiver;

  private constructor(server: SandboxServer, folder: TempFolder, receiver: Receiver, port: number) {
    this.server = server;
    this.folder = folder;
    this.#receiver = receiver;
    this.env = {
      SANDBOX_URL: server.url,
      SANDBOX_PORT: String(port),
      HOME: folder.path,
      XDG_STATE_HOME: `${folder.path}/state`,
      XDG_CONFIG_HOME: `${folder.path}/config`,
      PATH: process.env.PATH ?? '',
    };
  }

  static async open(): Promise<ExampleStage> {
    const receiver = await Receiver.start();
    const server = await startServer({
      port: 0,
      seed: '7',
      freezeAt: Date.parse(STAGE_INSTANT),
      policy: { routes: new Map([[HOOKS, receiver.origin]]), allowLocalEndpoints: true },
    });
    const stage = new ExampleStage(server, tempFolder(), receiver, await freePort());
    await stage.#furnish();
    return stage;
  }

  /** The origin of an application that accepts deliveries. */
  get receiver(): string {
    return this.#receiver.origin;
  }

  /** Runs a command line in the folder, as it stands in an example; `-` reads the exported state. */
  run(line: string, options: FakeIoOptions = {}): Promise<Ran> {
    const words = wordsOf(line).map((word) => word.replace('checks/*.json', 'checks/paid.json'));
    const stdin = words.includes('-') ? { stdin: this.folder.read('state.json') } : {};
    return runLine(words, { env: this.env, cwd: this.folder.path, ...stdin, ...options });
  }

  /** Starts one that runs until it is stopped. */
  start(line: string, options: FakeIoOptions = {}): RunningLine {
    return startLine(line, { env: this.env, cwd: this.folder.path, ...options });
  }

  /** Puts everything back to how it was, and then what the command needs. */
  async before(command: string): Promise<void> {
    await this.#client(async (client) => {
      await client.post('state/snapshots/:name/restore', { name: 'stage' });
      for (const name of command.startsWith('state ') ? ['before-refund', 'clean'] : [])
        await client.post('state/snapshots', { body: { name } });
    });
    for (const id of REQUEST_IDS) this.#call(id);
    const exported = join(this.folder.path, 'state.json');
    if (command === 'state export') rmSync(exported, { force: true });
    else if (!existsSync(exported)) await this.#must('state export state.json');
    for (const line of BEFORE[command] ?? []) await this.#must(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close(0);
    this.#receiver.close();
    this.folder[Symbol.dispose]();
  }

  async #furnish(): Promise<void> {
    await this.#must(`endpoints create ${HOOKS}/first`);
    this.#receiver.status = 500;
    await this.#must('trigger pix.settled');
    await this.#must('clock advance 46h');
    this.#receiver.status = 200;
    await this.#must('trigger pix.settled --wait');
    await this.#must('charges create --amount 10.00 --code order-0 --payer-name Maria --metadata order=7');
    await this.#must('charges create --amount 10.00 --code order-1');
    await this.#must('withdrawals create --amount 25.00 --code payout-1');
    await this.#must('kyc create');
    await this.#must('faults add status --path */rotate-secret --status 500');
    for (const id of REQUEST_IDS) this.#call(id);
    await this.#files();
    await this.#client(async (client) => {
      for (const name of ['stage', 'before-refund', 'clean'])
        await client.post('state/snapshots', { body: { name } });
    });
  }

  /** A call of an application, under an id that does not change. */
  #call(requestId: string): void {
    const { sandbox } = this.server;
    const [charge] = sandbox.world.charges.rows;
    sandbox.calls.add({
      requestId,
      at: sandbox.clock.now(),
      realAt: sandbox.realNow(),
      api: 'api',
      method: 'POST',
      path: '/api/public/v1/pix',
      status: 401,
      matched: true,
      appId: charge?.appId ?? null,
      resourceId: charge?.id ?? null,
      error: 'SIGNATURE_INVALID',
      hint: 'The timestamp is in milliseconds; write seconds, as 1769860800.',
      message: 'X-Timestamp must be Unix seconds; got 1769860800000.',
      details: [],
      warnings: ['The field color is not known.'],
      faults: [],
      exchange: {
        request: {
          headers: [
            ['content-type', 'application/json'],
            ['x-timestamp', '1769860800000'],
          ],
          body: '{"code":"order-1","color":"blue"}',
          bytes: 33,
        },
        response: {
          headers: [['content-type', 'application/json']],
          body: '{"error":{"code":"SIGNATURE_INVALID"}}',
          bytes: 38,
        },
        durationMs: 1.5,
      },
    });
  }

  async #files(): Promise<void> {
    const body = '{"type":"pix.settled"}';
    const { webhookSecret: secret } = WELL_KNOWN_CREDENTIALS;
    const sign = (timestampS: number) =>
      signWebhook({ id: EXAMPLE_IDS.event, timestampS, body: Buffer.from(body), secrets: [secret] });
    const headers = Object.entries(sign(Math.floor(Date.now() / 1000)));
    const attempt = {
      headers: sign(Date.parse(STAGE_INSTANT) / 1000),
      body,
    };
    const { folder } = this;
    folder.write('body.json', body);
    folder.write('headers.txt', headers.map(([name, value]) => `${name}: ${value}\n`).join(''));
    folder.write('attempt.json', JSON.stringify({ type: 'attempt', ...attempt }));
    folder.write('charge.json', '{"code":"order-2","amount":"10.00"}');
    const faults = [{ action: 'status', status: 503 }];
    folder.write('bank-outage.json', JSON.stringify({ name: 'bank-outage', duration: '10m', faults }));
    const record = { format: 1, version: '1.0.0', against: 'https://api.example', facts: {} };
    folder.write('parity.json', JSON.stringify(record));
    folder.write('parity-baseline.json', '{"checks":[]}');
    folder.write('webhook.secret', `${secret}\n`);
    folder.write('checks/paid.json', readFileSync(join(FIXTURES, 'scenarios/paid.json')));
    const kept = await startServer({ dataDirectory: join(folder.path, '.sandbox') });
    await kept.close(0);
    folder.write('package.json', '{"name":"shop","scripts":{"test":"node -e 0"}}\n');
  }

  async #must(line: string): Promise<void> {
    const { exitCode, stderr } = await this.run(line);
    if (exitCode !== 0) throw new Error(`sandbox ${line} ended with ${exitCode}: ${stderr}`);
  }

  async #client(work: (client: ControlClient) => Promise<void>): Promise<void> {
    const client = createSocketClient({ url: this.server.url, token: undefined });
    await work(client).finally(() => client.close());
  }
}

/** A server that answers everything with one status. */
class Receiver {
  status = 200;
  readonly #server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(this.status).end(this.status < 400 ? '' : 'no database\nno luck'),
    );
  });

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
