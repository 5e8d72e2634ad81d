import { expect, test } from 'vitest';
import type { ProbePart } from '../../src/parity/facts.js';
import { createObservations } from '../../src/parity/observer.js';
import { questionSandbox } from '../../src/parity/probe.js';
import { type Chance, chanceOf } from '../helpers/random.js';
import {
  acceptCreations,
  ALL_PARTS,
  json,
  judge,
  probe,
  type ProbeState,
  type Respond,
  TEST_PAGE,
} from './fake-server.js';

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const BODIES: readonly string[] = [
  '',
  'not JSON',
  '<html></html>',
  'null',
  '1',
  '"text"',
  '[]',
  '[[[]]]',
  '{"data":{}}',
  '{"data":[null]}',
  '{"data":[[1],[[2]]]}',
  '{"data":null,"paging":1}',
  '{"data":[1,"x",{"id":1},{"id":null}],"paging":{"after":1,"before":{}}}',
  '{"data":[{"id":"\\ud800"},{"id":"../.."}],"paging":{"after":"\\udfff","before":"\\ud800"}}',
  '{"data":[{"created_at":{"toString":1,"valueOf":1},"amount":{"valueOf":1,"toString":1}},{"id":2}]}',
  '{"created_at":{"toString":1,"valueOf":1},"expires_at":[],"expiresAt":{"toString":1,"valueOf":1}}',
  '{"id":"1","sessionId":"\\ud800","expires_at":"+275760-01-01T00:00:00Z","created_at":"0001-01-01T00:00:00Z"}',
  '{"sessionId":"s","expiresAt":"+275760-08-31T23:59:59Z","expires_at":"2026-03-01T00:00:00Z","created_at":"2026-03-01T00:00:00Z"}',
  '{"id":"1","fees":{"provider_fee":"-5.00","partner_fee":"99999999999999999999.99","net_amount":{}}}',
  '{"id":"1","fees":{"provider_fee":"9999999.00","partner_fee":"1.00","net_amount":"0.00"},"secret":{}}',
  '{"__proto__":{"environment":1},"constructor":{"prototype":null},"error":{"code":{}},"code":[]}',
  `{"error":"${'x'.repeat(100_000)}","code":"${'y'.repeat(100_000)}"}`,
  JSON.stringify({
    data: Array.from({ length: 1_000 }, (_, index) => ({ id: index, [`key${index % 50}`]: index })),
  }),
  `{"data":${deep(5_000, '[', ']')}}`,
  deep(20_000, '[', ']'),
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
];
const STATUSES = [200, 200, 201, 400, 401, 404, 404, 422, 500];
const pick = <Item>(chance: Chance, items: readonly Item[]) =>
  items[Math.floor(chance() * items.length)] as Item;

test('malformed bodies never crash the probe', { timeout: 60_000 }, async () => {
  const parts = new Set<ProbePart>(['reads', 'refusals', 'charges', 'sessions']);
  const scope = { parts, hasIdentity: true, tokens: 1 };
  const sandbox = await questionSandbox({}, scope, createObservations());
  const problems: string[] = [];
  const ask = async (name: string, respond: Respond) => {
    try {
      const { state, sent } = await probe(respond, { parts: ALL_PARTS, isTest: true });
      if (sent.length > 55) problems.push(`${name}: ${sent.length} requests`);
      judge(JSON.parse(JSON.stringify(state)) as ProbeState, scope, sandbox);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).stack}`);
    }
  };
  const headers = { 'content-type': 'application/json' };
  for (const body of BODIES) {
    await ask(body.slice(0, 100), (sent) => new Response(body, { status: acceptCreations(sent), headers }));
  }
  for (let count = 0; count < 20; count += 1) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const chance = chanceOf(seed);
    await ask(`seed ${seed}`, (_sent, index) => {
      if (index === 0) return json(200, TEST_PAGE);
      return new Response(pick(chance, BODIES), { status: pick(chance, STATUSES) });
    });
  }
  expect(problems).toEqual([]);
});
