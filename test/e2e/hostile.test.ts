import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { signRequest } from '../../src/signing/request.js';
import type { FakeIoOptions } from '../helpers/cli/cli-io.js';
import type { RunningLine } from '../helpers/cli/cli-line.js';
import { runLine, startLine } from '../helpers/cli/cli-line.js';
import { ATTACK, ATTACKS, FORGED, LATIN_ATTACK, problemsOnScreen } from '../helpers/e2e/hostile.js';
import { RawConnection } from '../helpers/http/http-raw.js';
import { startRawReceiver } from '../helpers/delivery/receiver-server.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { inTurn } from '../helpers/soak-scale.js';

const SCREENS: readonly FakeIoOptions[] = [{ columns: 80, colorLevel: 1 }, { columns: 40 }, { columns: 0 }];
const MEGABYTE = `${FORGED} `.repeat(150_000);
/** More than is kept of an answer, with what JSON and base64 add to it. */
const MOST_KEPT = 64 * 1024;
/** More than the last entries of all that is kept take as JSON. */
const MOST_JSON = 1024 * 1024;

/** What receivers answer: every attack in each place that can carry it, and more than is shown. */
const ANSWERS: Readonly<Record<string, Buffer>> = {
  'attacks in its body': answer(500, 'Error', '', ATTACKS.join('\n')),
  'attacks in its reason phrase and headers': answer(
    200,
    LATIN_ATTACK,
    `x-evil: ${LATIN_ATTACK}\r\n`,
    ATTACK,
  ),
  'a redirect to an attack': answer(302, 'Found', `location: https://evil.example/${LATIN_ATTACK}\r\n`, 'no'),
  'a megabyte on one line': answer(500, 'Error', '', MEGABYTE),
  'bytes that are no text': answer(500, 'Error', '', Buffer.from(`\xff\xfe${FORGED}\xc0\x80\n`, 'latin1')),
};

function answer(status: number, reason: string, headers: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} ${reason}\r\n${headers}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

let folder: TempFolder;
let starting: RunningLine;
let url: string;

beforeAll(async () => {
  folder = tempFolder();
  starting = start('start --port 0 --allow-local-endpoints --freeze 2026-01-31T12:00:00Z', {
    columns: 80,
    colorLevel: 1,
  });
  await starting.said('is ready at');
  await starting.said('All data is in memory');
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(starting.stdout())?.[0] ?? '';
});

afterAll(async () => {
  starting.stop();
  await starting.exitCode;
  folder[Symbol.dispose]();
});

function where(options: FakeIoOptions): FakeIoOptions {
  const env = {
    XDG_STATE_HOME: folder.path,
    HOME: folder.path,
    ...(url === undefined ? {} : { SANDBOX_URL: url }),
  };
  return { cwd: folder.path, env, ...options };
}

function start(line: string, options: FakeIoOptions): RunningLine {
  return startLine(line, where(options));
}

let turn = 0;

/** Runs a command on the kinds of screens in their turn, and as JSON; what is wrong with what it shows. */
async function problemsOf(line: string): Promise<string[]> {
  const problems: string[] = [];
  turn += 1;
  for (const screen of inTurn(SCREENS, turn)) {
    const { stdout, stderr } = await runLine(line, where(screen));
    const found = problemsOnScreen(stdout + stderr, screen.columns ?? 0);
    problems.push(...found.map((problem) => `${line} (${screen.columns} columns): ${problem}`));
  }
  const { stdout, stderr } = await runLine(`${line} --json`, where({}));
  const found = problemsOnScreen(stdout + stderr, 0, MOST_JSON);
  problems.push(...found.map((problem) => `${line} --json: ${problem}`));
  JSON.parse(stdout.split('\n')[0] ?? '');
  return problems;
}

async function newest(what: string): Promise<string> {
  const { stdout } = await runLine(`${what} list --json`, where({}));
  const { data } = JSON.parse(stdout) as { data: readonly { id?: string; request_id?: string }[] };
  return data[0]?.id ?? data[0]?.request_id ?? '';
}

/** What commands show of the newest delivery and its event. */
async function problemsOfHistory(): Promise<string[]> {
  const [delivery, event] = [await newest('deliveries'), await newest('events')];
  const lines = [
    `deliveries show ${delivery}`,
    'deliveries list',
    `events show ${event}`,
    'events list',
    'logs',
    'endpoints list',
    'status',
  ];
  const found: string[] = [];
  for (const line of lines) found.push(...(await problemsOf(line)));
  return found;
}

describe.each(Object.entries(ANSWERS))('a receiver that responds with %s', (_, bytes) => {
  test('changes nothing on the screen of listen, trigger, deliveries and logs', async () => {
    await using receiver = await startRawReceiver((socket) => socket.end(bytes));
    const listeners = SCREENS.map((screen, index) =>
      start(`listen --forward-to ${receiver.url} --retries off --name listener-${index}`, screen),
    );
    const json = start(`listen --forward-to ${receiver.url} --retries off --name as-json --json`, {});
    for (const listener of [...listeners, json])
      await listener.said(listener === json ? '"ready"' : 'Ctrl-C');
    expect(await problemsOf('trigger pix.settled --wait')).toEqual([]);
    expect(await problemsOfHistory()).toEqual([]);
    for (const [index, listener] of [...listeners, json].entries()) {
      listener.stop();
      expect(await listener.exitCode).toBe(130);
      const shown = listener.stdout() + listener.stderr();
      expect(shown).toContain('pix.settled');
      expect(problemsOnScreen(shown, SCREENS[index]?.columns ?? 0, MOST_JSON)).toEqual([]);
    }
    for (const line of json.stdout().trimEnd().split('\n')) expect(line.length).toBeLessThan(MOST_KEPT);
  });
});

describe('hostile application input', () => {
  async function send(path: string, body: object): Promise<number> {
    const bytes = Buffer.from(JSON.stringify(body));
    const { token, signingSecret: secret } = WELL_KNOWN_CREDENTIALS;
    const timestampS = Math.floor(Date.now() / 1000);
    const signed = signRequest({ method: 'POST', target: path, body: bytes, secret, timestampS });
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...signed.headers,
    };
    return (await fetch(url + path, { method: 'POST', body: bytes, headers })).status;
  }
  const visible = (text: string) => Array.from(text.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ')).join('');

  test('hostile application input is shown as text in names, metadata, codes and descriptions', async () => {
    for (const [index, attack] of ATTACKS.entries()) {
      const code = `order-${index}`;
      const text = visible(attack).slice(0, 120);
      const account_id = WELL_KNOWN_CREDENTIALS.accountId;
      const fields = { code, account_id, amount: '10.00', payer_name: `A ${text}`, metadata: { note: text } };
      expect(await send('/api/public/v1/pix', fields)).toBe(201);
      // Control characters are refused, and the refusal does not repeat them.
      await send('/api/public/v1/pix', { ...fields, code: `refused${attack}`, payer_name: attack });
      await send('/api/public/v1/webhook-endpoints', {
        url: 'http://127.0.0.1:9/',
        events: ['pix.failed'],
        description: text || 'x',
      });
      await runLine(`endpoints delete ${await newest('endpoints')}`, where({}));
      await runLine(`charges settle ${code}`, where({}));
      expect(await problemsOf(`charges show ${code}`)).toEqual([]);
    }
    expect([...(await problemsOf('charges list')), ...(await problemsOfHistory())]).toEqual([]);
  });

  test('hostile application input is shown as text in paths and headers, even by the sandbox itself', async () => {
    for (const attack of ATTACKS) await send(`/api/public/v1/${encodeURIComponent(visible(attack))}`, {});
    const port = Number(new URL(url).port);
    const query = LATIN_ATTACK.replaceAll(/[\s]/g, '+');
    const lines = ['host: localhost', `user-agent: ${LATIN_ATTACK}`, 'connection: close'];
    await using raw = new RawConnection(port);
    raw.request([`GET /api/public/v1/pix?${query} HTTP/1.1`, ...lines, '', '']);
    await raw.rest();
    await using refused = new RawConnection(port);
    const typed = [`content-type: ${LATIN_ATTACK}`, 'content-length: 2'];
    refused.request(['POST /api/public/v1/pix HTTP/1.1', ...lines, ...typed], '{}');
    expect((await refused.response()).status).toBe(415);
    const call = await newest('calls');
    for (const line of ['calls list', `calls show ${call}`, 'logs --limit 200', 'logs --failed'])
      expect(await problemsOf(line)).toEqual([]);
    const shown = starting.stdout() + starting.stderr();
    expect(shown).toContain('POST /api/public/v1/pix');
    expect(problemsOnScreen(shown.slice(0, 100_000), 80)).toEqual([]);
  });
});

/** A server of the test's own. */
async function serving(handle: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test.each(['status', 'trigger pix.settled'])('%s shows a forged sandbox as text', async (line) => {
  const details = [{ field: ATTACK, message: MEGABYTE.slice(0, 20_000) }];
  const error = { code: ATTACK, message: ATTACK, hint: ATTACK, details };
  await using forged = await serving((_, response) => {
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  expect(await problemsOf(`${line} --url ${forged.url}`)).toEqual([]);
});

test('listen shows a forged relay as text', async () => {
  await using relay = await serving((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json' }).end(ATTACK + MEGABYTE);
  });
  for (const screen of SCREENS) {
    const listener = start(`listen --forward-to 9 --tunnel --skip-verify --tunnel-host ${relay.url}`, screen);
    await listener.said('Retrying in');
    listener.stop();
    await listener.exitCode;
    expect(problemsOnScreen(listener.stdout() + listener.stderr(), screen.columns ?? 0)).toEqual([]);
  }
});
