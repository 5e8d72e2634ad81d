import { describe, expect, onTestFinished } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { chargeBody, test } from '../../helpers/http/api-client.js';
import { MessageReader } from '../../helpers/http/http-events.js';

interface Row {
  readonly seq: number;
  readonly cause: number | null;
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly by: string;
}

interface Listed {
  readonly run: string;
  readonly oldest: number;
  readonly newest: number;
  readonly data: readonly Row[];
}

async function timeline(api: TestApi, query = ''): Promise<Listed> {
  const { status, body } = await api.control('GET', `timeline${query}`);
  expect(status).toBe(200);
  return body as unknown as Listed;
}

async function stream(api: TestApi, query = '', lastId?: string): Promise<MessageReader> {
  const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  const path = `/_sandbox/stream/timeline${query}`;
  const response = await api.open('GET', path, { caller: null, sign: false, headers });
  expect(response.status).toBe(200);
  const reader = new MessageReader(response);
  onTestFinished(() => reader.cancel());
  expect(await reader.next()).toMatchObject({ type: 'ready', run: api.sandbox.timeline.run });
  return reader;
}

describe('GET timeline', () => {
  test('shows a request, its command and its changes, each with its cause', async ({ api }) => {
    const { body } = await api.call('POST', '/pix', { body: chargeBody({ code: 'order-1' }) });
    const { data } = await timeline(api, '?q=by:call');
    expect(data).toMatchObject([
      {
        kind: 'call',
        by: 'call',
        cause: null,
        title: 'POST /api/public/v1/pix 201',
        status: 201,
        matched: true,
      },
      { kind: 'command', cause: data[0]?.seq, command: 'charge.create' },
      { kind: 'change', cause: data[1]?.seq, id: body.id, from: null, to: 'PENDING', code: 'order-1' },
    ]);
  });

  test('shows a rejected request with its error, and the origin of a control request', async ({ api }) => {
    await api.call('POST', '/pix', { body: { code: 'x' } });
    const headers = { 'x-sandbox-sender': 'scenario paid-late' };
    await api.send('POST', '/_sandbox/charges', { caller: null, sign: false, body: {}, headers });
    const { data } = await timeline(api);
    expect(data.find(({ kind }) => kind === 'call')).toMatchObject({ error: 'INVALID_REQUEST', status: 400 });
    expect(data.find(({ by }) => by === 'scenario')).toMatchObject({
      kind: 'command',
      scenario: 'paid-late',
    });
  });

  test('returns the newest, or those after or before a number, up to the limit', async ({ api }) => {
    for (const code of ['a', 'b', 'c']) await api.control('POST', 'charges', { code });
    const all = await timeline(api);
    const seqs = all.data.map(({ seq }) => seq);
    const of = async (query: string) => (await timeline(api, query)).data.map(({ seq }) => seq);
    expect(await of('?limit=2')).toEqual(seqs.slice(-2));
    expect(await of('?after=2&limit=2')).toEqual([3, 4]);
    expect(await of('?before=4')).toEqual([1, 2, 3]);
    expect(await of('?after=1&before=4')).toEqual([2, 3]);
    expect(await of(`?after=${all.newest}`)).toEqual([]);
    // Numbers that never were cost no time.
    expect(await of('?after=589232936&before=2147483623')).toEqual([]);
    expect(await of('?after=1&before=2147483623&limit=2')).toEqual([2, 3]);
  });

  test('shows each replacement of the whole state', async ({ api }) => {
    await api.control('POST', 'state/snapshots', { name: 'before' });
    await api.control('POST', 'state/snapshots/before/restore');
    await api.control('DELETE', 'state/snapshots/before');
    await api.control('PUT', 'state', (await api.control('GET', 'state')).body);
    await api.control('POST', 'reset');
    const { data } = await timeline(api, '?q=kind:state');
    const titles = ['started', 'saved before', 'restored before', 'dropped before', 'imported', 'reset'];
    expect(data.map(({ title }) => title)).toEqual(titles);
  });

  test('rejects an invalid filter, with a suggestion', async ({ api }) => {
    const refused = async (q: string) =>
      (await api.control('GET', `timeline?q=${encodeURIComponent(q)}`)).body.error.message;
    expect(await refused('statsu:500')).toBe('Unknown filter key "statsu". Did you mean status?');
    expect(await refused('is:faild')).toContain('got faild. Did you mean failed?');
    expect(await refused('"open')).toBe('Unclosed quotation mark: "open');
  });
});

describe('GET stream/timeline', () => {
  test('continues after a number without a gap or a duplicate, and sends new entries', async ({ api }) => {
    await api.control('POST', 'charges', { code: 'a' });
    const before = await timeline(api);
    const reader = await stream(api, '?after=1');
    await api.control('POST', 'charges/a/settle');
    const after = await timeline(api);
    const told = [];
    while (told.length < after.newest - 1) told.push(await reader.next());
    expect(told).toEqual(after.data.slice(1));
    expect(before.newest).toBeLessThan(after.newest);
  });

  test('starts over, and reports it, if the id is of another run', async ({ api }) => {
    const reader = await stream(api, '', '0badc0de-7');
    expect(await reader.next()).toMatchObject({ kind: 'restarted', seq: 1 });
    expect(await reader.next()).toMatchObject({ seq: 1, title: 'started' });
  });
});

describe('GET trace', () => {
  test('shows a history from its first cause, next to later ones of the same row', async ({ api }) => {
    await api.call('POST', '/pix', { body: chargeBody({ code: 'order-1' }) });
    await api.control('POST', 'charges', { code: 'other' });
    await api.control('POST', 'charges/order-1/settle');
    const { body } = await api.control('GET', 'trace/order-1');
    const trace = body as unknown as { root: Trace; later: Trace[]; due: readonly { title: string }[] };
    const { id } = api.sandbox.world.charges.rows[0] ?? {};
    expect(titlesOf(trace.root)).toEqual([
      'POST /api/public/v1/pix 201',
      '  charge.create',
      '    charge order-1 PENDING',
    ]);
    expect(trace.later.flatMap((story) => titlesOf(story))).toEqual([
      `charge.settle ${id}`,
      '  charge order-1 PENDING → SETTLED',
      '    pix.settled of order-1',
    ]);
    expect(trace.due).toEqual([]);
  });

  test('rejects a prefix of ids of several kinds, and lists them', async ({ api }) => {
    const { sandbox } = api;
    for (let count = 0; count < 600; count += 1) {
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', late: false });
    }
    const { charges, events } = sandbox.world;
    const byStart = new Map(events.rows.map(({ id }) => [id.slice(4, 8), id]));
    const charge = charges.rows.find(({ id }) => byStart.has(id.slice(0, 4)));
    const start = charge?.id.slice(0, 4) ?? '';
    const { status, body } = await api.control('GET', `trace/${start}`);
    expect([status, body.error]).toMatchObject([
      400,
      {
        message: `2 ids begin with ${start}.`,
        details: [
          { field: 'id', message: `${charge?.id} charge` },
          { field: 'id', message: `${byStart.get(start)} event` },
        ],
      },
    ]);
    expect((await api.control('GET', `trace/${charge?.id}`)).status).toBe(200);
  });
});

interface Trace {
  readonly title: string;
  readonly children: readonly Trace[];
}

/** The titles of a story, each indented by how deep it stands. */
function titlesOf({ title, children }: Trace, indent = ''): string[] {
  return [indent + title, ...children.flatMap((child) => titlesOf(child, `${indent}  `))];
}
