import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { signRequest } from '../../../src/signing/request.js';
import type { FakeIoOptions } from '../cli/cli-io.js';
import type { RunningLine } from '../cli/cli-line.js';
import { runLine, startLine } from '../cli/cli-line.js';
import { tries } from '../whole.js';
import type { PlantedSecrets } from './planted-secrets.js';

/** Six kinds of calls, again and again. */
export const CALLS = tries({ part: 60, whole: 1_100 });
const CALLS_AT_A_TIME = 20;

/** An application that answers with what it was sent, as a page for debugging does, and sets cookies of its own. */
export async function startEcho(secrets: PlantedSecrets): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization = '', 'x-api-key': key = '' } = request.headers;
      const headers = {
        'set-cookie': `session=${secrets.text()}`,
        'x-echo': String(key),
        'x-auth-token': secrets.text(),
      };
      response
        .writeHead(500, headers)
        .end(`it broke\nauthorization: ${authorization}\nx-api-key: ${String(key)}\n`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A sandbox that others can reach, with credentials of its own, and everything that its commands said. */
export class Life {
  readonly secrets: PlantedSecrets;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What was said, by the line that said it. */
  readonly said: [line: string, text: string][] = [];
  readonly #credentials: Readonly<Record<'token' | 'signing' | 'kyc', string>>;
  #url = '';
  #taken = 0;

  constructor(secrets: PlantedSecrets, folder: string) {
    this.secrets = secrets;
    this.folder = folder;
    this.#credentials = {
      token: secrets.text('pix_'),
      signing: secrets.text('sign_'),
      kyc: secrets.text('kyct_'),
    };
    const { token, signing, kyc } = this.#credentials;
    this.env = {
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      SANDBOX_TOKEN: token,
      SANDBOX_SIGNING_SECRET: signing,
      SANDBOX_WEBHOOK_SECRET: secrets.webhook(),
      SANDBOX_KYC_TOKEN: kyc,
      SANDBOX_CONTROL_TOKEN: secrets.text('control_'),
    };
  }

  /** A secret of its sandbox, where a value that is not known to be secret may be shown. */
  own(): string {
    const own = Object.values(this.#credentials);
    this.#taken += 1;
    return own[this.#taken % own.length] ?? '';
  }

  options(more: FakeIoOptions = {}): FakeIoOptions {
    return {
      cwd: this.folder,
      env: { ...this.env, ...(this.#url === '' ? {} : { SANDBOX_URL: this.#url }) },
      ...more,
    };
  }

  /** Runs a command for people and as JSON; whether it succeeds says nothing. */
  async run(line: string, more: FakeIoOptions = {}): Promise<void> {
    for (const words of [line, `${line} --json`]) {
      const { stdout, stderr } = await runLine(words, this.options(more));
      this.hear(words, stdout + stderr);
    }
  }

  hear(line: string, text: string): void {
    const bodies = text.matchAll(/"(?:response_)?body":"([A-Za-z0-9+/=]+)"/g);
    const decoded = Array.from(bodies, ([, body = '']) => Buffer.from(body, 'base64').toString());
    this.said.push([line, [text, ...decoded].join('\n')]);
  }

  /** Starts its sandbox, with further options. */
  async start(options: string): Promise<RunningLine> {
    const line = `start --host 0.0.0.0 --port 0 --allow-local-endpoints ${options}`;
    const running = startLine(line, this.options());
    await running.said('Everything is');
    this.#url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout())?.[0] ?? '';
    return running;
  }

  /** A call of an application: with the right credentials, and what else it may carry. */
  async call(
    method: string,
    path: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const timestampS = Math.floor(Date.now() / 1000);
    const signed = signRequest({
      method,
      target: path,
      body: bytes,
      secret: this.#credentials.signing,
      timestampS,
    });
    const token = path.startsWith('/api/v1/kyc') ? this.#credentials.kyc : this.#credentials.token;
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...signed.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytes }),
    });
    return (await response.json()) as { id?: string; secret?: string; sessionId?: string };
  }
}

/** Calls that hold secrets where applications put them, mostly wrong ones. */
export async function callAround(life: Life): Promise<void> {
  const { secrets } = life;
  const account_id = '00000000-0000-4000-8000-000000000001';
  const kinds = [
    () =>
      life.call(
        'POST',
        '/api/public/v1/pix',
        { code: 'a b', amount: life.own(), token: secrets.text(), password: secrets.text() },
        { authorization: `Bearer ${secrets.text()}`, cookie: `sid=${secrets.text()}` },
      ),
    () =>
      life.call(
        'POST',
        `/api/public/v1/pix?access_token=${secrets.text()}`,
        { code: 'a b', account_id: life.own(), api_token: secrets.text(), amount: 1, secret: secrets.text() },
        { cookie: `sid=${secrets.text()}`, 'x-api-key': secrets.text() },
      ),
    () =>
      life.call(
        'POST',
        '/api/public/v1/pix',
        { code: life.own(), token: secrets.text(), account_id, amount: '10.00', api_key: secrets.text() },
        { 'x-signature': life.own(), 'x-auth-token': secrets.text(), cookie: secrets.text() },
      ),
    () =>
      life.call(
        'GET',
        `/api/public/v1/pix/transactions?limit=5&token=${secrets.text()}&${secrets.text()}`,
        undefined,
        { 'x-nonce': life.own(), 'x-auth-token': secrets.text(), 'x-api-key': secrets.text() },
      ),
    () =>
      life.call(
        'POST',
        '/api/v1/kyc/sessions',
        { customerType: life.own(), token: secrets.text(), client_secret: secrets.text() },
        {
          authorization: `Basic ${secrets.text()}`,
          cookie: secrets.text(),
          'idempotency-key': life.own(),
          'x-auth-token': secrets.text(),
        },
      ),
    () =>
      life.call(
        'POST',
        `/api/public/v1/pixx?key=${secrets.text()}#${secrets.text()}`,
        { password: secrets.text(), token: secrets.text() },
        { authorization: secrets.text(), 'proxy-authorization': secrets.text() },
      ),
  ];
  for (let made = 0; made < CALLS; made += CALLS_AT_A_TIME) {
    await Promise.all(
      Array.from({ length: CALLS_AT_A_TIME }, (_, call) => Promise.resolve(kinds[call % kinds.length]?.())),
    );
  }
}

/** Secrets that the sandbox draws itself. */
export async function haveSecretsDrawn(
  { secrets, call }: { secrets: PlantedSecrets; call: Life['call'] },
  echo: string,
): Promise<void> {
  for (const path of ['one', 'two', 'three']) {
    const endpoint = await call('POST', '/api/public/v1/webhook-endpoints', {
      url: `${echo}/${path}`,
      events: ['pix.settled'],
    });
    secrets.add(endpoint.secret ?? '');
    const rotated = await call(
      'POST',
      `/api/public/v1/webhook-endpoints/${endpoint.id}/rotate-secret`,
      undefined,
    );
    secrets.add(rotated.secret ?? '');
  }
  for (let session = 0; session < 5; session += 1) {
    const { sessionId = '' } = await call(
      'POST',
      '/api/v1/kyc/sessions',
      { customerType: 'individual' },
      { 'idempotency-key': `session-number-${session}` },
    );
    secrets.add(sessionId);
    await call('GET', `/api/v1/kyc/sessions/${sessionId}/result`, undefined);
    await call('GET', `/api/v1/kyc/session/${sessionId}?sid=${sessionId}`, undefined);
  }
}
