import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
import { inTurn } from '../helpers/whole.js';

const SCREENS: readonly FakeIoOptions[] = [{ columns: 80, colourLevel: 1 }, { columns: 40 }, { columns: 0 }];
const MEGABYTE = `${FORGED} `.repeat(150_000);
/** More than is kept of an answer, with what JSON and base64 add to it. */
const MOST_KEPT = 64 * 1024;
/** More than the last entries of all that is kept take as JSON. */
const MOST_JSON = 1024 * 1024;

/** What receivers answer, each with all that it can carry. */
const ANSWERS: Readonly<Record<string, string | Buffer>> = {
  'a body of attacks': answer(500, 'Error', '', ATTACK),
  'a line for each attack': answer(500, 'Error', '', ATTACKS.join('\n')),
  'a reason phrase and headers': answer(500, LATIN_ATTACK, `x-evil: ${LATIN_ATTACK}\r\n`, 'no'),
  'escapes in the reason phrase': answer(500, ATTACKS[0] ?? '', '', 'no'),
  'escapes in a header': answer(500, 'Error', `x-evil: ${ATTACKS[1] ?? ''}\r\n`, 'no'),
  'a place to go to': answer(302, 'Found', `location: https://evil.example/${LATIN_ATTACK}\r\n`, 'no'),
  'a megabyte on one line': answer(500, 'Error', '', MEGABYTE),
  'a megabyte of lines': answer(500, 'Error', '', MEGABYTE.replaceAll(' ', '\n')),
  'bytes that are no text': answer(
    500,
    'Error',
    '',
    Buffer.from(`\xff\xfe${FORGED}\xc0\x80\n${FORGED}`, 'latin1'),
  ),
  'an accepting body': answer(200, LATIN_ATTACK, `x-evil: ${LATIN_ATTACK}\r\n`, ATTACK),
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
    colourLevel: 1,
  });
  await starting.said('is ready at');
  await starting.said('Everything is in memory');
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

describe.each(Object.entries(ANSWERS))('a receiver that answers with %s', (_, bytes) => {
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

describe('what an application sends', () => {
  async function send(
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const bytes = Buffer.from(JSON.stringify(body));
    const signed = signRequest({
      method,
      target: path,
      body: bytes,
      secret: WELL_KNOWN_CREDENTIALS.signingSecret,
      timestampS: Math.floor(Date.now() / 1000),
    });
    const response = await fetch(url + path, {
      method,
      body: bytes,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${WELL_KNOWN_CREDENTIALS.token}`,
        ...signed.headers,
        ...headers,
      },
    });
    return response.status;
  }
  const account_id = WELL_KNOWN_CREDENTIALS.accountId;
  const visible = (text: string) =>
    Array.from(text.replaceAll(/\p{Cc}|\p{Cs}/gu, ' '))
      .slice(0, 140)
      .join('');

  test('as names, metadata and codes is shown as text', async () => {
    const statuses: number[] = [];
    for (const [index, attack] of ATTACKS.entries()) {
      const code = `order-${index}`;
      const fields = {
        code,
        account_id,
        amount: '10.00',
        payer_name: `A ${visible(attack)}`.slice(0, 130),
        metadata: { [visible(attack).slice(0, 40)]: visible(attack) },
      };
      statuses.push(await send('POST', '/api/public/v1/pix', fields));
      // What holds control characters is refused, and the refusal does not repeat them on our screen.
      await send('POST', '/api/public/v1/pix', { ...fields, code: `refused${attack}`, payer_name: attack });
      await runLine(`charges settle ${code}`, where({}));
      expect([...(await problemsOf(`charges show ${code}`)), ...(await problemsOfHistory())]).toEqual([]);
    }
    expect(statuses).toEqual(ATTACKS.map(() => 201));
    expect(await problemsOf('charges list')).toEqual([]);
  });

  test('as paths, headers and descriptions is shown as text', async () => {
    for (const attack of ATTACKS) {
      const path = `/api/public/v1/${encodeURIComponent(attack.replaceAll(/\p{Cs}/gu, ''))}`;
      await send('POST', path, {}, { 'user-agent': 'x', 'x-nonce': 'short' });
      const port = Number(new URL(url).port);
      await using raw = new RawConnection(port);
      raw.request([
        `GET /api/public/v1/pix?${LATIN_ATTACK.replaceAll(/[\s]/g, '+')} HTTP/1.1`,
        'host: localhost',
        `user-agent: ${LATIN_ATTACK}`,
        'connection: close',
        '',
        '',
      ]);
      await raw.rest();
      await using refused = new RawConnection(port);
      refused.request(
        [
          'POST /api/public/v1/pix HTTP/1.1',
          'host: localhost',
          `content-type: ${LATIN_ATTACK}`,
          'content-length: 2',
          'connection: close',
        ],
        '{}',
      );
      expect((await refused.response()).status).toBe(415);
      await send('POST', '/api/public/v1/webhook-endpoints', {
        url: 'http://127.0.0.1:9/',
        events: ['pix.failed'],
        description: visible(attack) || 'x',
      });
      const endpoint = await newest('endpoints');
      expect([
        ...(await problemsOf('endpoints list')),
        ...(await problemsOf(`endpoints disable ${endpoint}`)),
      ]).toEqual([]);
      await runLine(`endpoints delete ${endpoint}`, where({}));
    }
    const call = await newest('calls');
    for (const line of ['calls list', `calls show ${call}`, 'logs --limit 200', 'logs --failed']) {
      expect(await problemsOf(line)).toEqual([]);
    }
  });

  test('is shown as text by the sandbox itself', () => {
    const shown = starting.stdout() + starting.stderr();
    expect(shown).toContain('POST /api/public/v1/pix');
    expect(problemsOnScreen(shown.slice(0, 100_000), 80)).toEqual([]);
  });
});

/** A server of the test's own for as long as the work takes. */
async function withServer(handle: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(handle);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

describe('others that answer', () => {
  test.each([
    'status',
    'charges show x',
    'trigger pix.settled',
    'logs',
    'verify body.json --id x --timestamp 1 --signature v1,x',
  ])('a forged sandbox says nothing on our screen by %s', async (line) => {
    folder.write('body.json', '{}');
    const error = {
      code: ATTACK,
      message: ATTACK,
      hint: ATTACK,
      details: [{ field: ATTACK, message: MEGABYTE.slice(0, 20_000) }],
    };
    const forge: RequestListener = (_, response) => {
      response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    };
    await withServer(forge, async (forged) =>
      expect(await problemsOf(`${line} --url ${forged}`)).toEqual([]),
    );
  });

  test.each([200, 500])('a forged relay that answers %i says nothing on our screen', async (status) => {
    const forge: RequestListener = (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(ATTACK + MEGABYTE);
    };
    await withServer(forge, async (relay) => {
      for (const screen of SCREENS) {
        const listener = start(`listen --forward-to 9 --tunnel --skip-verify --tunnel-host ${relay}`, screen);
        await listener.said('tunnel');
        await listener.said('follows in');
        listener.stop();
        await listener.exitCode;
        expect(problemsOnScreen(listener.stdout() + listener.stderr(), screen.columns ?? 0)).toEqual([]);
      }
    });
  });
});
