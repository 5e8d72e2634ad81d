import { randomBytes } from 'node:crypto';
import { expect, onTestFailed, test, vi } from 'vitest';
import { PlantedSecrets } from '../../helpers/e2e/known-secrets.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { chargeBody, testApi } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';
import { tries } from '../../helpers/soak-scale.js';

// Other tests compare such responses with the documents, which takes seconds.
vi.unmock('../../../src/http/shared/response.js');
vi.unmock('../../../src/http/streams/sse.js');

/** Set SEED to see a failure again. */
const SEED = process.env.SEED ?? randomBytes(8).toString('hex');
const LEAST = tries({ part: 2_000, whole: 10_000 });
/** Secrets in the headers of a call, and as many in its body. */
const PER_PART = 400;

/** Fields or headers whose names say that they are secret. */
function planted(secrets: PlantedSecrets, name: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: PER_PART }, (_, index) => [`${name}-${index}`, secrets.text()]),
  );
}

/** Calls with secrets by their names, and with known ones anywhere, of which some are accepted. */
async function callWith(api: TestApi, secrets: PlantedSecrets, known: string): Promise<void> {
  const headers = { ...planted(secrets, 'x-token'), 'x-echo': known, cookie: `a=${secrets.text()}` };
  const body = chargeBody({ metadata: { note: known }, ...planted(secrets, 'password') });
  const query = `?access_token=${secrets.text()}&status=${known}`;
  await api.call('POST', `/pix${query}`, { body, headers });
  await api.call('GET', `/withdrawals/${known}${query}`, { headers });
  await api.call('POST', '/pix', { body: chargeBody({ code: known }), headers });
  await api.control('POST', `charges/${known}/settle`);
}

/** A receiver whose address has a known secret, and which answers with it. */
async function receive(api: TestApi, known: string): Promise<void> {
  const open = { caller: null, sign: false, body: { name: 'one', description: `listener → /${known}` } };
  const listener = new MessageReader(await api.open('POST', '/_sandbox/listeners', open));
  const { listener: endpoint } = (await listener.nextOf('ready')) as { listener: { id: string } };
  await api.control('POST', 'trigger', { type: 'pix.failed' });
  const { attempt_id: id } = await listener.nextOf('attempt');
  await api.control('POST', `listeners/${endpoint.id}/results`, {
    attempt_id: id,
    response_status: 500,
    error: 'HTTP_STATUS',
    detail: known,
    response_headers: [['x-echo', known]],
    response_body: Buffer.from(known).toString('base64'),
  });
  await listener.cancel();
}

/** Everything that tells what happened. */
async function shown(api: TestApi): Promise<string> {
  const path = '/_sandbox/stream/timeline?after=0';
  const reader = new MessageReader(await api.open('GET', path, { caller: null, sign: false }));
  const { newest } = (await reader.nextOf('ready')) as unknown as { newest: number };
  const parts: unknown[] = [];
  for (let count = 0; count < newest; count += 1) parts.push(await reader.next());
  await reader.cancel();
  const get = async (target: string) => (await api.control('GET', target)).body;
  for (const target of ['timeline?limit=1000', 'logs', 'calls', 'bootstrap']) parts.push(await get(target));
  const calls = (await get('calls')).data;
  for (const { id } of calls) parts.push(await get(`calls/${id}`), await get(`trace/${id}`));
  for (const { id } of api.sandbox.world.charges.rows) parts.push(await get(`trace/${id}`));
  return JSON.stringify(parts);
}

test(`shows none of ${LEAST} secrets, wherever they were`, async () => {
  onTestFailed(() => console.error(`SEED=${SEED}`));
  const secrets = new PlantedSecrets(SEED);
  let text = '';
  while (secrets.count < LEAST) {
    const api = await testApi();
    for (let count = 0; count < 4; count += 1) {
      const [token, signing] = [secrets.text(), secrets.text()];
      await api.control('POST', 'apps', { token, signing_secret: signing });
      await callWith(api, secrets, count % 2 === 0 ? token : signing);
      await receive(api, signing);
    }
    text += await shown(api);
    // What a reset forgets stays hidden in what happened before.
    await api.control('POST', 'reset');
    text += JSON.stringify((await api.control('GET', 'timeline?limit=1000')).body);
  }
  expect(text).toContain('?access_token=…');
  expect(secrets.foundIn(text).slice(0, 5)).toEqual([]);
});
