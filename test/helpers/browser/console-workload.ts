import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { SECTIONS, getSectionPath } from '../../../src/console/model/routes.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { clientOf } from './console-stage.js';

/** A listener that answers each attempt with a text, until it is disposed of. */
async function listen(server: SandboxServer, text: string): Promise<() => Promise<void>> {
  const client = clientOf(server);
  const end = new AbortController();
  const name = { name: 'shop', description: text.slice(0, 100) };
  const messages = client.stream('POST listeners', { body: name, signal: end.signal });
  const { value: ready } = await messages.next();
  if (ready?.type !== 'ready') throw new Error('Expected the listener to be ready.');
  const { id } = ready.listener;
  const answering = (async () => {
    for await (const message of messages) {
      if (message.type !== 'attempt') continue;
      await client.post('listeners/:id/results', {
        id,
        body: {
          attempt_id: message.attempt_id,
          response_status: 500,
          latency_ms: 3,
          error: 'HTTP_STATUS',
          detail: text.slice(0, 2000),
          response_headers: [
            ['x-said', text.slice(0, 2000)],
            ['location', 'javascript:report("header")'],
          ],
          response_body: text.slice(0, 60_000),
        },
      });
    }
  })().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return async () => {
    end.abort();
    await answering;
  };
}

/**
 * One of everything that the console shows, each said with a text; answers the address of every page.
 * Endpoints may be anywhere.
 */
export async function liveThrough(server: SandboxServer, text: string): Promise<readonly string[]> {
  const client = clientOf(server);
  const word = text.replaceAll(/[\p{Z}\p{Cc}\p{Cf}\p{Cs}]+/gu, '.').slice(0, 40);
  const line = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 100);
  const leave = await listen(server, text);
  const url = `http://localhost:9/${line}?${line}`;
  const unreachable = await client.post('endpoints', {
    body: { url, events: EVENT_TYPES, description: line },
  });
  const metadata = { [word.slice(0, 40)]: line, note: line };
  await client.post('apps', { body: { name: line } });
  await client.post('faults', {
    body: { action: 'status', path: '/api/public/v1/withdrawals', status: 503 },
  });
  const charge = await client.post('charges', { body: { code: word, payer_name: line, metadata } });
  const paid = await client.post('trigger', {
    body: { type: 'pix.settled', charge: charge.id, until: 'attempted' },
  });
  const withdrawal = await client.post('withdrawals', {
    body: { code: word, beneficiary_name: line, metadata },
  });
  await client.post('withdrawals/:id/fail', { id: withdrawal.id });
  await client.post('clock/advance', { body: { by: '45h' } });
  const session = await client.post('kyc/sessions', { body: {} });
  await client.post('kyc/sessions/:id/decide', { id: session.id, body: { status: 'rejected' } });
  await client.post('state/snapshots', { body: { name: 'a-state' } });
  for (const path of [`/api/public/v1/pix/${encodeURIComponent(word)}`, '/api/public/v1/pix']) {
    const headers = { 'content-type': 'application/json', 'x-said': encodeURIComponent(text).slice(0, 1000) };
    const body = JSON.stringify({ code: text, amount: text.slice(0, 100) });
    await server.fetch(new Request(server.url + path, { method: 'POST', headers, body }), {});
  }
  await leave();
  const [call] = (await client.get('calls')).data;
  const [endpoint] = (await client.get('endpoints')).data;
  return [
    ...SECTIONS.map(getSectionPath),
    `/calls/${call?.id}`,
    `/events/${paid.events[0]?.id}`,
    `/deliveries/${paid.deliveries[0]?.id}`,
    `/charges/${charge.id}`,
    `/withdrawals/${withdrawal.id}`,
    `/endpoints/${endpoint?.id}`,
    `/endpoints/${unreachable.id}`,
    `/identity/${session.id}`,
  ];
}
