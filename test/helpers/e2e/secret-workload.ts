import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { signRequest } from '../../../src/signing/request.js';
import type { FakeIoOptions } from '../cli/cli-io.js';
import type { RunningLine } from '../cli/cli-line.js';
import { runLine, startLine } from '../cli/cli-line.js';
import { tries } from '../soak-scale.js';
import type { PlantedSecrets } from './known-secrets.js';

/** Requests in each of six shapes. */
export const CALLS = tries({ part: 10, whole: 180 });

/** Starts an application that repeats its input in its responses, as a debugging page does, and sets cookies. */
export async function startEcho(secrets: PlantedSecrets): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { authorization = '', 'x-api-key': key = '' } = request.headers;
      const cookie = `session=${secrets.text()}`;
      response
        .writeHead(500, { 'set-cookie': cookie, 'x-echo': String(key), 'x-auth-token': secrets.text() })
        .end(`it broke\nauthorization: ${authorization}\nx-api-key: ${String(key)}\n`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A sandbox with its own credentials that other machines can reach, and everything that its commands printed. */
export class Life {
  readonly env: Readonly<Record<string, string>>;
  /** Printed texts, each with its command line. */
  readonly printed: [line: string, text: string][] = [];
  readonly secrets: PlantedSecrets;
  readonly folder: string;
  readonly #credentials: Readonly<Record<'token' | 'signing' | 'kyc', string>>;
  #url = '';

  constructor(secrets: PlantedSecrets, folder: string) {
    this.secrets = secrets;
    this.folder = folder;
    const token = secrets.text('pix_');
    const signing = secrets.text('sign_');
    const kyc = secrets.text('kyct_');
    this.#credentials = { token, signing, kyc };
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

  options(more: FakeIoOptions = {}): FakeIoOptions {
    const env = { ...this.env, ...(this.#url === '' ? {} : { SANDBOX_URL: this.#url }) };
    return { cwd: this.folder, env, ...more };
  }

  /** Runs a command for people and as JSON, whether it succeeds or not. */
  async run(line: string, more: FakeIoOptions = {}): Promise<void> {
    for (const words of [line, `${line} --json`]) {
      const { stdout, stderr } = await runLine(words, this.options(more));
      this.hear(words, stdout + stderr);
    }
  }

  /** Records a text, and the bodies that are base64 in it. */
  hear(line: string, text: string): void {
    const bodies = text.matchAll(/"(?:response_)?body":"([A-Za-z0-9+/=]+)"/g);
    const decoded = Array.from(bodies, ([, body = '']) => Buffer.from(body, 'base64').toString());
    this.printed.push([line, [text, ...decoded].join('\n')]);
  }

  async start(options: string): Promise<RunningLine> {
    const line = `start --host 0.0.0.0 --port 0 --allow-local-endpoints ${options}`;
    const running = startLine(line, this.options());
    await running.said('All data is');
    this.#url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout())?.[0] ?? '';
    return running;
  }

  /** Sends a request with the right credentials, unless `headers` replace them. */
  async call(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const { token, signing, kyc } = this.#credentials;
    const timestampS = Math.floor(Date.now() / 1000);
    const signed = signRequest({ method, target: path, body: bytes, secret: signing, timestampS });
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${path.startsWith('/api/v1/kyc') ? kyc : token}`,
        ...signed.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytes }),
    });
    return (await response.json()) as { id?: string; secret?: string; sessionId?: string };
  }

  /** Sends secrets where applications put them; the sandbox's own token also where it does not belong. */
  async callAround(): Promise<void> {
    const { token: own } = this.#credentials;
    const secret = () => this.secrets.text();
    const account_id = '00000000-0000-4000-8000-000000000001';
    const [PIX, KYC] = ['/api/public/v1/pix', '/api/v1/kyc/sessions'];
    for (let made = 0; made < CALLS; made += 1) {
      await Promise.all([
        this.call(
          'POST',
          PIX,
          { code: 'a b', amount: own, token: secret(), password: secret() },
          { authorization: `Bearer ${secret()}`, cookie: `sid=${secret()}` },
        ),
        this.call(
          'POST',
          `${PIX}?access_token=${secret()}`,
          { code: 'a b', account_id: own, api_token: secret(), amount: 1, secret: secret() },
          { cookie: `sid=${secret()}`, 'x-api-key': secret() },
        ),
        this.call(
          'POST',
          PIX,
          { code: own, token: secret(), account_id, amount: '10.00', api_key: secret() },
          { 'x-signature': own, 'x-auth-token': secret(), cookie: secret() },
        ),
        this.call('GET', `${PIX}/transactions?limit=5&token=${secret()}&${secret()}`, undefined, {
          'x-nonce': own,
          'x-api-key': secret(),
        }),
        this.call(
          'POST',
          KYC,
          { customerType: own, token: secret(), client_secret: secret() },
          { authorization: `Basic ${secret()}`, cookie: secret(), 'idempotency-key': own },
        ),
        this.call(
          'POST',
          `/api/public/v1/pixx?key=${secret()}#${secret()}`,
          { password: secret() },
          { authorization: secret(), 'proxy-authorization': secret() },
        ),
      ]);
    }
  }

  /** Has the sandbox draw secrets itself: of endpoints, and ids of sessions. */
  async drawSecrets(echo: string): Promise<void> {
    const ENDPOINTS = '/api/public/v1/webhook-endpoints';
    for (const path of ['one', 'two', 'three']) {
      const created = { url: `${echo}/${path}`, events: ['pix.settled'] };
      const { id, secret = '' } = await this.call('POST', ENDPOINTS, created);
      const rotated = await this.call('POST', `${ENDPOINTS}/${id}/rotate-secret`);
      for (const drawn of [secret, rotated.secret ?? '']) this.secrets.add(drawn);
    }
    for (let session = 0; session < 5; session += 1) {
      const headers = { 'idempotency-key': `session-number-${session}` };
      const created = await this.call(
        'POST',
        '/api/v1/kyc/sessions',
        { customerType: 'individual' },
        headers,
      );
      const id = this.secrets.add(created.sessionId ?? '');
      await this.call('GET', `/api/v1/kyc/sessions/${id}/result`);
      await this.call('GET', `/api/v1/kyc/session/${id}?sid=${id}`);
    }
  }
}
