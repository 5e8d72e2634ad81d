import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatReady } from '../../../src/cli/commands/start/detach.js';
import { measureWidth } from '../../../src/cli/terminal/text.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { TestApi } from '../../helpers/http/api-client.js';
import { cliSandbox, LOCAL, settledFor, worldOf } from '../../helpers/cli/cli-sandbox.js';

const WIDTHS = Array.from({ length: 7 }, (_, index) => 50 + 5 * index);
/** URLs, secrets and whole ids, with the characters that belong to a sentence around them. */
const COPIED = /https?:\/\/|whsec_|pix_|kyc_[0-9a-f]+|evt_[0-9a-f]+|[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Values that a terminal of this width divides although they fit on a line of it; those shortened on purpose are no use to copy. */
function divided(text: string, columns: number): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .flatMap((line) =>
      Array.from(line.matchAll(/\S+/g), ({ 0: value, index }) => ({
        value,
        start: measureWidth(line.slice(0, index)) % columns,
      })),
    )
    .filter(({ value, start }) => {
      const width = measureWidth(value);
      return COPIED.test(value) && !value.includes('…') && width <= columns && start + width > columns;
    })
    .map(({ value }) => `${columns}: ${value}`);
}

let sandbox: CliSandbox;
let ids: Record<string, string>;

beforeAll(async () => {
  sandbox = await cliSandbox(LOCAL);
  const { delivery, event, endpoint } = await settledFor(sandbox, 'http://127.0.0.1:1/webhooks');
  const call = await new TestApi(sandbox.server, { nowMs: Date.now() }).send(
    'GET',
    '/api/public/v1/withdrawals',
  );
  const { id: session } = await sandbox.runJson('kyc create');
  ids = {
    delivery: delivery.id,
    event: event.id,
    endpoint: endpoint.id,
    call: call.headers.get('x-request-id') ?? '',
    session: String(session),
  };
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const COMMANDS: readonly (readonly [command: string, args: readonly string[], options?: object])[] = [
  ['status', []],
  ['env', []],
  ['endpoints list', []],
  ['endpoints create', ['http://127.0.0.1:1/COLUMNS']],
  ['endpoints rotate', ['endpoint']],
  ['apps list', []],
  ['apps create', [], { name: 'shop' }],
  ['charges list', []],
  ['charges show', ['order-1']],
  ['charges create', [], { amount: '10.00' }],
  ['events list', []],
  ['events show', ['event']],
  ['deliveries list', []],
  ['deliveries show', ['delivery']],
  ['calls list', []],
  ['kyc create', []],
  ['kyc list', []],
  ['trace', ['order-1']],
  ['trigger', ['pix.settled']],
  ['logs', []],
  ['faults list', []],
  ['withdrawals create', [], { amount: '10.00' }],
  ['withdrawals list', []],
  ['ledger', []],
  ['calls show', ['call']],
  ['events resend', ['event']],
  ['kyc show', ['session']],
  ['state list', []],
];

test.for(COMMANDS)('%s splits no value that fits on a line', async ([command, args, options]) => {
  const found: string[] = [];
  for (const columns of WIDTHS) {
    const { stdout, stderr } = await sandbox.run(command, {
      args: args.map((arg) => ids[arg] ?? arg.replace('COLUMNS', String(columns))),
      options: { ...options },
      columns,
    });
    found.push(...divided(stdout + stderr, columns));
    const created = [...worldOf(sandbox).endpoints.keys()].filter((id) => id !== ids.endpoint);
    for (const endpointId of created)
      sandbox.server.sandbox.dispatch({ type: 'endpoint.delete', endpointId });
  }
  expect(found).toEqual([]);
});

test('start splits no value that fits on a line', () => {
  const { env, url } = sandbox.server;
  const ready = { url, version: '1.2.3', targets: [], isDetached: false };
  const withToken = { ...ready, env: { ...env, SANDBOX_CONTROL_TOKEN: 'c'.repeat(24) } };
  const found = WIDTHS.flatMap((columns) => divided(formatReady(fakeIo({ columns }).io, withToken), columns));
  expect(found).toEqual([]);
});
