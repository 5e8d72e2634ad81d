import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLine } from '../../helpers/cli/cli-line.js';
import { cliSandbox, START_INSTANT } from '../../helpers/cli/cli-sandbox.js';
import { freePort } from '../../helpers/free-port.js';
import { TestApi } from '../../helpers/http/api-client.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const FOLDER = join(import.meta.dirname, 'tours');

/** What a line that begins with `@` does, beside the commands. */
interface Stage {
  /** Columns of the terminal; 0 is none. */
  columns: number;
  /** 1 is with colors, whose escape character is shown as ␛. */
  colors: 0 | 1;
  /** The answer of the receiver at https://shop.example. */
  receiver: number;
  stdin: string;
}

/** Replaces what differs from run to run: addresses, latencies, and ids of calls. */
function steady(text: string): string {
  return text
    .replaceAll('\u001b', '␛')
    .replaceAll(/\d+(?:\.\d+)? ms/g, 'N ms')
    .replaceAll(/"(\w*(?:duration|latency)_ms|p\d\d)":[\d.]+/g, '"$1":0')
    .replaceAll(/time="[\d.]+"/g, 'time="0"')
    .replaceAll(/\breq_[0-9a-f]+/g, 'req_ID')
    .replaceAll(/\bversion \d+\.\d+\.[^\s,)]+/g, 'version V')
    .replaceAll(/\bpid \d+/g, 'pid N')
    .replaceAll(/"(version|instance_id)":"[^"]+"/g, '"$1":"…"')
    .replaceAll(/"pid":\d+/g, '"pid":0');
}

/** Runs the lines of a tour in one sandbox, and returns the lines with what each printed. */
async function walk(tour: string): Promise<string> {
  const stage: Stage = { columns: 0, colors: 0, receiver: 200, stdin: '' };
  const receiver = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(stage.receiver).end('{"seen":true}');
  });
  const port = await freePort();
  await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  const routes = new Map([['https://shop.example', `http://127.0.0.1:${port}`]]);
  await using cli = await cliSandbox({
    policy: { routes, allowLocalEndpoints: true },
    realNow: () => Date.parse(START_INSTANT),
  });
  using folder = tempFolder();
  const { server } = cli;
  const api = new TestApi(server, { nowMs: Date.parse(START_INSTANT) });
  const shown: string[] = [];
  const calls: string[] = [];
  const lines = tour.split('\n').filter((line) => /^[$@#]/.test(line));
  for (const line of lines) {
    shown.push(line);
    const [, value = '', ...rest] = line.slice(2).split(' ');
    if (line.startsWith('@ write')) folder.write(value, rest.join(' '));
    else if (line.startsWith('@ columns')) stage.columns = Number(value);
    else if (line.startsWith('@ color')) stage.colors = value === '1' ? 1 : 0;
    else if (line.startsWith('@ receiver')) stage.receiver = Number(value);
    else if (line.startsWith('@ stdin')) stage.stdin = [value, ...rest].join(' ');
    else if (line.startsWith('@ get')) {
      const { headers } = await server.fetch(new Request(server.url + value), {});
      calls.push(headers.get('x-request-id') ?? '');
    } else if (line.startsWith('@ call')) {
      const { headers } = await api.call('POST', value, { body: rest.join(' ') });
      calls.push(headers.get('x-request-id') ?? '');
    }
    if (!line.startsWith('$')) continue;
    const typed = line.slice(2).replaceAll(/\bCALL(\d)/g, (_, ordinal) => calls[Number(ordinal) - 1] ?? '');
    const { stdout, stderr, exitCode } = await runLine(typed, {
      env: { SANDBOX_URL: server.url },
      cwd: folder.path,
      columns: stage.columns,
      colorLevel: stage.colors,
      ...(stage.stdin === '' ? {} : { stdin: stage.stdin }),
    });
    const noted = stderr.split('\n').slice(0, -1);
    const printed = [stdout.replace(/\n$/, ''), ...noted.map((one) => `! ${one}`)].filter(
      (one) => one !== '',
    );
    const { host } = new URL(server.url);
    const places = { [host]: 'SANDBOX', [folder.path]: '/project', [String(port)]: 'PORT' };
    const texts = printed.map((text) =>
      Object.entries(places).reduce((all, [place, name]) => all.replaceAll(place, name), steady(text)),
    );
    shown.push(...texts, ...(exitCode === 0 ? [] : [`exit ${exitCode}`]));
    await server.sandbox.idle();
  }
  receiver.close();
  receiver.closeAllConnections();
  return `${shown.join('\n')}\n`;
}

test.for(readdirSync(FOLDER))('%s prints the recorded output (UPDATE_TOURS=1 writes it)', async (name) => {
  const file = join(FOLDER, name);
  const tour = readFileSync(file, 'utf8');
  const walked = await walk(tour);
  if (process.env.UPDATE_TOURS !== undefined) writeFileSync(file, walked);
  expect(walked).toBe(process.env.UPDATE_TOURS === undefined ? tour : walked);
});
