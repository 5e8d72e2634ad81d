import { expect, test } from 'vitest';
import { startServer } from '../../../src/http/server/start.js';

/** The hints of some refusals, each of another surface or part of it, and the text of a hosted page. */
async function hintsOf(program?: string): Promise<readonly unknown[]> {
  const server = await startServer({ seed: 'hints', program });
  const ask = async (path: string, body?: object) => {
    const init =
      body === undefined
        ? {}
        : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await server.fetch(new Request(server.url + path, init), {})).text();
  };
  const hintOf = (text: string) => (JSON.parse(text) as { readonly error: { hint: string } }).error.hint;
  try {
    const unauthenticated = hintOf(await ask('/api/public/v1/webhook-endpoints'));
    const unknown = hintOf(await ask('/_sandbox/charges/nope'));
    const calls = JSON.parse(await ask('/_sandbox/calls')) as { data: { hint: string }[] };
    await ask('/_sandbox/faults', { on: 'call', action: 'status', count: 1 });
    const faulty = hintOf(await ask('/api/public/v1/webhook-endpoints'));
    const [page] =
      /<code>[^<]*(?=<\/code>)/.exec(await ask('/start?publishable_key=none&origin=https://shop.example')) ??
      [];
    return [unauthenticated, unknown, calls.data[0]?.hint, faulty, page];
  } finally {
    await server.close(0);
  }
}

test.each([
  ['npx sandbox', undefined],
  ['pnpm sandbox', 'pnpm sandbox'],
])('hints name %s in a sandbox that was started with %s', async (called, program) => {
  expect(await hintsOf(program)).toEqual([
    `\`${called} env\` prints the token as SANDBOX_TOKEN.`,
    `Find the id with \`${called} charges list\`.`,
    `\`${called} env\` prints the token as SANDBOX_TOKEN.`,
    `\`${called} faults list\` shows active faults.`,
    `<code>${called} env`,
  ]);
});
