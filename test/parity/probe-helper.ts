import { ControlClient, createFetchTransport } from '../../src/client/control.js';
import { listAssumptions, resolveAssumptions } from '../../src/contract/assumptions.js';
import type { Scope } from '../../src/contract/enums.js';
import { startServer } from '../../src/http/server/start.js';
import type { FactId, ProbePart } from '../../src/parity/facts.js';
import type { WebhookSource } from '../../src/parity/implementation.js';
import { createObservations } from '../../src/parity/observer.js';
import {
  createCounters,
  OtherImplementation,
  type OtherOptions,
} from '../../src/parity/other-implementation.js';
import {
  compareAll,
  inferFrom,
  judgeFacts,
  questionImplementation,
  type ProbeScope,
  questionSandbox,
} from '../../src/parity/probe.js';
import { parseSandboxOptions } from '../../src/sandbox/options.js';

/** The values of all configurable assumptions, as text. */
export function textsOf(assume: Readonly<Record<string, string>>): Record<string, string> {
  const lines = listAssumptions(resolveAssumptions(assume)).filter(({ choices }) => choices !== null);
  return Object.fromEntries(lines.map(({ id, value }) => [id, value]));
}

/** A time that passes only while somebody waits. */
export function createTime(startMs: number) {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    wait: (ms: number) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

interface SecondOptions {
  /** Changes a response on its way to the probe. */
  readonly mutate?: (response: Response, request: Request) => Promise<Response> | Response;
  readonly startMs?: number;
  readonly other?: Partial<OtherOptions>;
  /** Scopes of more applications, whose tokens follow the first one. */
  readonly apps?: readonly (readonly Scope[])[];
  /** Receives webhooks of the second sandbox, in its time. */
  readonly webhooks?: (control: ControlClient, now: () => number) => WebhookSource;
  /** Prepares the second sandbox; three withdrawals and a settled charge by default. */
  readonly prepare?: (control: ControlClient, time: ReturnType<typeof createTime>) => Promise<void>;
}

async function createPayments(control: ControlClient): Promise<void> {
  for (let count = 0; count < 3; count += 1) await control.post('withdrawals', { body: {} });
  const { id } = await control.post('charges', { body: {} });
  await control.post('charges/:id/settle', { id });
}

/** A second sandbox in this process, and a probe of it in virtual time. */
export async function openSecond(theirs: Readonly<Record<string, string>>, options: SecondOptions = {}) {
  const { mutate = (response) => response, startMs = Date.now(), prepare = createPayments } = options;
  const { apps = [] } = options;
  const time = createTime(startMs);
  const { policy } = parseSandboxOptions({ allowLocalEndpoints: true });
  const server = await startServer({ assume: theirs, realNow: time.now, policy });
  const handle = (request: Request) => Promise.resolve(server.fetch(request, {}));
  const control = new ControlClient(
    createFetchTransport(server.url, (target, init) => handle(new Request(server.url + target, init))),
  );
  await prepare(control, time);
  const { env } = server;
  const tokens: [string, ...string[]] = [env.SANDBOX_TOKEN];
  for (const scopes of apps) tokens.push((await control.post('apps', { body: { scopes } })).token);
  const counters = createCounters();
  const requests: string[] = [];
  const other = new OtherImplementation({
    urls: { payments: server.url, identity: server.url },
    credentials: {
      tokens,
      signingSecret: env.SANDBOX_SIGNING_SECRET,
      accountId: env.SANDBOX_ACCOUNT_ID,
      kycToken: env.SANDBOX_KYC_TOKEN,
    },
    counters,
    isTest: false,
    signal: new AbortController().signal,
    webhooks: options.webhooks?.(control, time.now),
    time,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      requests.push(`${request.method} ${url.slice(server.url.length)}`);
      const response = await mutate(await handle(request.clone()), request);
      if (!response.headers.has('date')) response.headers.set('date', new Date(time.now()).toUTCString());
      return response;
    },
    ...options.other,
  });
  return { server, control, counters, requests, other, time, [Symbol.asyncDispose]: () => server.close() };
}

/** Probes a second sandbox with the assumptions `theirs`, and compares it with one that has `ours`. */
export async function probeSecond(
  theirs: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string>> = {},
  parts: readonly ProbePart[] = [],
  options: SecondOptions = {},
) {
  await using second = await openSecond(theirs, options);
  return await probe(second, ours, parts);
}

const questioned = new Map<string, ReturnType<typeof questionSandbox>>();

/** Asks a sandbox once for the same assumptions and parts. */
function questionOnce(assume: Readonly<Record<string, string>>, scope: ProbeScope) {
  const sorted = Object.entries(assume).toSorted(([one], [other]) => one.localeCompare(other));
  const key = JSON.stringify([sorted, [...scope.parts]]);
  const known = questioned.get(key) ?? questionSandbox(assume, scope, createObservations());
  questioned.set(key, known);
  return known;
}

/** Probes a running second sandbox, and compares it with one that has `ours`. */
export async function probe(
  second: Awaited<ReturnType<typeof openSecond>>,
  ours: Readonly<Record<string, string>> = {},
  parts: readonly ProbePart[] = [],
  notes: Readonly<Record<string, string>> = {},
) {
  const tokens = second.other.credentials.tokens.length;
  const scope = { parts: new Set<ProbePart>(['reads', 'refusals', ...parts]), hasIdentity: true, tokens };
  const observations = { ...createObservations(), notes: { ...notes } };
  await questionImplementation(second.other, observations, scope);
  const { values, unknown } = inferFrom(observations);
  const sandbox = await questionOnce({ ...ours, ...values }, scope);
  const compared = compareAll(sandbox, observations);
  const outcomes = judgeFacts({ current: textsOf(ours), values, compared, unknown }, scope.parts);
  const outcomeOf = (id: FactId) => outcomes.find((one) => one.id === id);
  const differences = outcomes.flatMap((one) => one.differences);
  return {
    outcomes,
    outcomeOf,
    differences,
    values,
    observations,
    counters: second.counters,
    requests: second.requests,
  };
}
