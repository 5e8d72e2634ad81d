import { verifyWebhook } from '../../../src/signing/webhook.js';

interface Row {
  status: string;
  credits: number;
}

const RANKS: Readonly<Record<string, number>> = {
  'pix.expired': 1,
  'pix.settled': 2,
  'pix.failed': 2,
  'withdrawal.settled': 1,
  'withdrawal.failed': 2,
};
const STATUSES: Readonly<Record<string, string>> = {
  'pix.expired': 'expired',
  'pix.settled': 'paid',
  'pix.failed': 'failed',
  'withdrawal.settled': 'sent',
  'withdrawal.failed': 'returned',
};

/** A receiver that is right as far as the options let it be. It keeps what it hears of orders that it does not know. */
export function smallShop(
  secret: string,
  { verifies = true, toleranceS = 300 }: { readonly verifies?: boolean; readonly toleranceS?: number } = {},
) {
  const seen = new Set<string | null>();
  const rows = new Map<string, Row & { rank: number }>();
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response('POST only', { status: 405 });
    const body = new Uint8Array(await request.arrayBuffer());
    const nowS = Math.floor(Date.now() / 1000);
    if (verifies && !verifyWebhook({ body, headers: request.headers, secrets: secret, nowS, toleranceS }).ok)
      return new Response('No.', { status: 400 });
    const id = request.headers.get('webhook-id');
    if (seen.has(id)) return new Response('Known.');
    const event = read(body);
    if (event === undefined) return new Response('Not JSON.', { status: 400 });
    seen.add(id);
    const { code } = event.data.object;
    const row = rows.get(code) ?? { status: 'open', credits: 0, rank: 0 };
    const rank = RANKS[event.type] ?? 0;
    if (rank >= row.rank && rank > 0) Object.assign(row, { rank, status: STATUSES[event.type] });
    if (event.type === 'pix.settled') row.credits += 1;
    if (rank > 0) rows.set(code, row);
    return new Response('Thank you.');
  };
  const probe = ({ code }: { readonly code: string }) => {
    const { status, credits } = rows.get(code) ?? { status: 'open', credits: 0 };
    return Promise.resolve(JSON.stringify({ code, status, credits, at: new Date().toISOString() }));
  };
  return { fetch, probe, forget: () => seen.clear() };
}

function read(
  body: Uint8Array,
): { readonly type: string; readonly data: { readonly object: { readonly code: string } } } | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}
