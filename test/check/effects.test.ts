import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CheckOptions, FetchTarget, CheckedPayment } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { verifyWebhook } from '../../src/signing/webhook.js';
import { idsOf } from '../helpers/check/receivers/matrix.js';
import { Stage } from '../helpers/check/receivers/stage.js';

const PATIENCE_MS = 120_000;
/** A thousand events in each run, which say nothing about probes. */
const SKIPPED = ['dup.evicted'];

type Probe = NonNullable<CheckOptions['probe']>;

async function check(stage: Stage, options: Partial<CheckOptions>) {
  const shop = stage.shop();
  const report = await runChecks({
    ...stage.checkOptions(shop),
    skip: SKIPPED,
    budgetMs: PATIENCE_MS,
    ...options,
  });
  const { fail, warn, unknown, gated } = idsOf(report);
  return { report, others: { fail, warn, unknown, gated } };
}

/** Forwards each request, after it was shown to `record` with the code of its order. */
function recording(target: FetchTarget, record: (code: string, type: string) => void): FetchTarget {
  return {
    fetch: async (request) => {
      const text = await request.clone().text();
      const response = await target.fetch(request);
      const [, type = ''] = /"type" ?: *"([^"]+)"/.exec(text) ?? [];
      const [, code = ''] = /"code" ?: *"([^"]+)"/.exec(text) ?? [];
      if (response.ok) record(code, type);
      return response;
    },
  };
}

/** Adds to what the shop's probe prints. */
function adding(
  probe: Probe,
  more: (subject: CheckedPayment, held: Record<string, unknown>) => object,
): Probe {
  return async (subject, signal) => {
    const held = JSON.parse(await probe(subject, signal)) as Record<string, unknown>;
    return JSON.stringify({ ...held, ...more(subject, held) });
  };
}

interface Unusual {
  readonly of: (stage: Stage) => Partial<CheckOptions>;
}

const UNUSUAL: Readonly<Record<string, Unusual>> = {
  'a probe with a counter of all webhooks, a random number, an uptime and the local time': {
    of: (stage) => {
      const options = stage.checkOptions(stage.shop());
      let webhooks = 0;
      const startedMs = Date.now();
      return {
        ...options,
        to: recording(options.to as FetchTarget, () => (webhooks += 1)),
        probe: adding(options.probe!, () => ({
          webhooks,
          lucky: Math.random(),
          uptime: (Date.now() - startedMs) / 1000,
          now: new Date().toLocaleString('pt-BR'),
        })),
      };
    },
  },
  'a probe with a history of the webhooks of an order': {
    of: (stage) => {
      const options = stage.checkOptions(stage.shop());
      const history = new Map<string, object[]>();
      const record = (code: string, type: string) =>
        history.set(code, [...(history.get(code) ?? []), { type, at: new Date() }]);
      return {
        ...options,
        to: recording(options.to as FetchTarget, record),
        probe: adding(options.probe!, ({ code }) => ({
          history: history.get(code) ?? [],
          last: history.get(code)?.at(-1) ?? null,
        })),
      };
    },
  },
  'a probe with the date and age of the payment, and the number of its receipt': {
    of: (stage) => {
      const options = stage.checkOptions(stage.shop());
      const paid = new Map<string, { ms: number; receipt: number }>();
      return {
        ...options,
        probe: adding(options.probe!, ({ code }, { status }) => {
          if (status === 'paid' && !paid.has(code))
            paid.set(code, { ms: Date.now(), receipt: paid.size + 1 });
          const at = paid.get(code);
          return {
            receipt: at?.receipt ?? null,
            paid_on: at === undefined ? null : new Date(at.ms).toLocaleString('en-US'),
            age: at === undefined ? null : `${Math.round((Date.now() - at.ms) / 1000)} s ago`,
          };
        }),
      };
    },
  },
  'a receiver that responds first and works through a queue': {
    of: (stage) => {
      const options = stage.checkOptions(stage.shop());
      const target = options.to as FetchTarget;
      let last: Promise<unknown> = Promise.resolve();
      const fetch = async (request: Request) => {
        const body = new Uint8Array(await request.clone().arrayBuffer());
        const nowS = Math.floor(Date.now() / 1000);
        const { ok } = verifyWebhook({ body, headers: request.headers, secrets: stage.secret, nowS });
        if (!ok || request.method !== 'POST' || body[0] === 0x54) return target.fetch(request);
        last = last.then(async () => {
          await pause(40);
          await target.fetch(request);
        });
        return new Response(null, { status: 202 });
      };
      return { ...options, to: { fetch } };
    },
  },
};

describe.concurrent('observed effects', { timeout: PATIENCE_MS }, () => {
  test.for(Object.keys(UNUSUAL))('effects are observed under %s', async (name) => {
    await using stage = await Stage.open();
    const { others, report } = await check(stage, UNUSUAL[name]!.of(stage));
    expect(others).toEqual({ fail: [], warn: [], unknown: [], gated: [] });
    expect(report.ok).toBe(true);
  });
});

describe.concurrent('a payment without an effect', { timeout: PATIENCE_MS }, () => {
  test('fails, and gates the checks that compare with a paid order', async () => {
    await using stage = await Stage.open();
    const shop = stage.shop({ issues: ['effect.paid'] });
    const { report, others } = await check(stage, { ...stage.checkOptions(shop), effectTimeoutMs: 100 });
    const paid = report.checks.find(({ id }) => id === 'effect.paid');
    expect(paid).toMatchObject({
      verdict: 'fail',
      got: expect.stringMatching(
        /^200 .*the order did not change\. Before and after: .*status "awaiting payment"/,
      ),
      likely: expect.stringContaining('ignores the event'),
    });
    expect(others.fail).toEqual(['effect.paid']);
    expect(others.gated).toEqual(expect.arrayContaining(['dup.type', 'dup.again']));
    expect(others.unknown).toEqual([]);
    expect(report.ok).toBe(false);
  });

  test('names the order that changed instead', async () => {
    await using stage = await Stage.open();
    const options = stage.checkOptions(stage.shop());
    const codes: string[] = [];
    const order: CheckOptions['order'] = async (one, signal) => {
      codes.push(one.code);
      await options.order?.(one, signal);
    };
    // Whatever is paid, the newest order is marked as paid.
    let newest: string | undefined;
    const to = recording(options.to as FetchTarget, () => (newest ??= codes.at(-1)));
    const probe: Probe = async ({ code }) =>
      JSON.stringify(codes.includes(code) ? { paid: code === newest } : {});
    const { report } = await check(stage, { order, to, probe, effectTimeoutMs: 0, only: ['effect.paid'] });
    expect(report.checks[0]).toMatchObject({
      verdict: 'fail',
      got: expect.stringContaining('another order changed instead: paid false -> true'),
    });
  });
});

test('excludes ignored paths from the comparison', async () => {
  await using stage = await Stage.open();
  const options = stage.checkOptions(stage.shop());
  const probe = adding(options.probe!, ({ code }, { credits }) => ({
    audit: credits === 1 ? code.length : [code],
  }));
  const learned: string[] = [];
  const only = ['effect.paid', 'dup.again'];
  const onBaseline = (text: string) => void learned.push(text);
  await check(stage, { ...options, probe, only, onBaseline, probeIgnore: ['audit'] });
  expect(learned).toEqual([expect.stringMatching(/^A payment changes status, .*\. Ignored, .*: audit\.$/)]);
});
