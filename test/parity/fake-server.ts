import { expect } from 'vitest';
import { resolveAssumptions } from '../../src/contract/assumptions.js';
import type { ProbePart } from '../../src/parity/facts.js';
import { ProbeStop, type WebhookSource } from '../../src/parity/implementation.js';
import { createObservations, type Observations } from '../../src/parity/observer.js';
import {
  createCounters,
  OtherImplementation,
  type OtherOptions,
  type ProbeCounters,
} from '../../src/parity/other-implementation.js';
import {
  compareAll,
  inferFrom,
  judgeFacts,
  questionImplementation,
  type ProbeScope,
} from '../../src/parity/probe.js';
import { signProbe } from '../../src/parity/sign.js';
import { createTime, textsOf } from './probe-helper.js';

export const START_MS = Date.parse('2026-03-01T12:00:00Z');
export const ID = '11111111-1111-4111-8111-111111111111';
export const ALL_PARTS: readonly ProbePart[] = ['reads', 'refusals', 'charges', 'sessions', 'endpoint'];
export const TEST_PAGE = { data: [{ id: ID, environment: 'TEST' }], paging: { before: null, after: null } };

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
  readonly atMs: number;
}

export type Respond = (sent: Sent, index: number) => Response | Promise<Response>;

export interface ProbeState {
  readonly observations: Observations;
  readonly counters: ProbeCounters;
}

interface Options extends Partial<OtherOptions> {
  readonly parts?: readonly ProbePart[];
  /** Of an earlier run. */
  readonly state?: ProbeState;
  readonly startMs?: number;
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(status === 204 || (status >= 300 && status < 400) ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
export const newState = (): ProbeState => ({
  observations: createObservations(),
  counters: createCounters(),
});
const WEBHOOKS: WebhookSource = {
  url: 'https://hooks.example/parity',
  next: () => Promise.resolve(undefined),
  pay: () => Promise.resolve(),
  awaitRetry: () => Promise.resolve(undefined),
};

/** Probes a server made of one function, in virtual time. */
export async function probe(
  respond: Respond,
  { parts = [], state = newState(), startMs, ...options }: Options = {},
) {
  const time = createTime(startMs ?? START_MS);
  const sent: Sent[] = [];
  const other = new OtherImplementation({
    urls: { payments: 'https://api.example', identity: 'https://id.example' },
    credentials: { tokens: ['token-1'], signingSecret: 'secret-1', accountId: ID, kycToken: 'kyc-1' },
    counters: state.counters,
    isTest: false,
    signal: new AbortController().signal,
    webhooks: WEBHOOKS,
    time,
    fetch: async (url, init) => {
      expect(init.redirect).toBe('manual');
      const request = new Request(url, init);
      const { pathname, search } = new URL(url);
      const { method, headers } = request;
      sent.push({ method, headers, path: pathname + search, body: await request.text(), atMs: time.now() });
      return respond(sent.at(-1) as Sent, sent.length - 1);
    },
    ...options,
  });
  const scope = { parts: new Set<ProbePart>(['reads', 'refusals', ...parts]), hasIdentity: true, tokens: 1 };
  const stop = await questionImplementation(other, state.observations, scope).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ProbeStop) return error;
      throw error;
    },
  );
  const posts = sent.filter(({ method }) => method !== 'GET');
  return { sent, posts, stop, state, scope, time, counters: state.counters };
}

/** Judges the facts of a finished probe. */
export function judge({ observations }: ProbeState, scope: ProbeScope, sandbox: Observations) {
  const { values, unknown } = inferFrom(observations);
  resolveAssumptions(values);
  const compared = compareAll(sandbox, observations);
  return judgeFacts({ current: textsOf({}), values, compared, unknown }, scope.parts);
}

/** The status of an implementation that accepts every creation for the account. */
export function acceptCreations({ method, path, headers, body }: Sent): number {
  if (method === 'GET') return 200;
  if (!isRetry(path))
    return body.includes(ID) || body.includes('customerType') || body.includes('parity probe') ? 201 : 400;
  const scheme = { signature: 'hex', digest: 'hex', emptyDigest: 'digest', path: 'path' } as const;
  const [timestampS, nonce] = [Number(headers.get('x-timestamp')), headers.get('x-nonce') ?? ''];
  const signed = signProbe({ method, target: path, body, timestampS, nonce, secret: 'secret-1', scheme });
  const isNew = Math.abs(timestampS - START_MS / 1_000) < 300;
  return isNew && signed['x-signature'] === headers.get('x-signature') ? 404 : 401;
}

export const isRetry = (path: string) => path.split('?')[0]?.endsWith('/retry') ?? false;
