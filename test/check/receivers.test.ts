import { describe, expect, test } from 'vitest';
import type { CheckOptions, FetchTarget } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { fetchHandler, standardVerifier } from '../helpers/check/receivers/doors.js';
import { idsOf, MISTAKES } from '../helpers/check/receivers/matrix.js';
import type { ShopOptions } from '../helpers/check/receivers/shop.js';
import { Stage } from '../helpers/check/receivers/stage.js';

const PATIENCE_MS = 120_000;
const EFFECTS = MISTAKES.filter((id) => /^(?:effect|dup|new|order|mix)\./.test(id));
const NOTHING = { fail: [], warn: [], unknown: [], gated: [] };

async function verdicts(stage: Stage, options: Partial<CheckOptions> & Pick<CheckOptions, 'to'>) {
  const report = await runChecks({ secret: stage.secret, budgetMs: PATIENCE_MS, ...options });
  return { report, ...idsOf(report) };
}

// Side by side, because most of the time is waiting.
describe.concurrent('a right receiver passes', { timeout: PATIENCE_MS }, () => {
  test.for<[string, (secret: string) => Partial<ShopOptions>]>([
    ['with a verifier of its own', () => ({})],
    ['with standardwebhooks', (secret) => ({ verify: standardVerifier(secret) })],
  ])('everything, strictly, %s', async ([, options]) => {
    await using stage = await Stage.open();
    const shop = stage.shop(options(stage.secret));
    const { report, pass, ...others } = await verdicts(stage, { ...stage.checkOptions(shop), strict: true });
    expect(others).toEqual(NOTHING);
    expect([report.ok, pass]).toEqual([true, MISTAKES]);
  });

  test('all that is not about effects without a probe, in under ten seconds', async () => {
    await using stage = await Stage.open();
    const { report, pass: _pass, ...others } = await verdicts(stage, { to: fetchHandler(stage.shop()) });
    expect(others).toEqual({ ...NOTHING, unknown: EFFECTS });
    expect([report.ok, report.durationMs < 10_000]).toEqual([true, true]);
  });

  test('all but effects under a probe that always prints the same', async () => {
    await using stage = await Stage.open();
    const shop = stage.shop();
    const probe = () => Promise.resolve('{"status":"ok"}');
    const { report, pass: _pass, ...others } = await verdicts(stage, { ...stage.checkOptions(shop), probe });
    expect(others).toEqual({ ...NOTHING, gated: ['accept.document'], unknown: EFFECTS });
    expect(report.notes).toEqual([expect.stringContaining('an existing, a paid and an unknown order')]);
  });
});

describe.concurrent('a receiver without a mind of its own fails', { timeout: PATIENCE_MS }, () => {
  const answering = (answer: (count: number) => Response): FetchTarget => {
    let count = 0;
    return { fetch: () => answer((count += 1)) };
  };
  const plain = (status: number) => new Response('', { status });

  test('when it accepts everything', async () => {
    await using stage = await Stage.open();
    const shop = stage.shop();
    const { report, fail, pass } = await verdicts(stage, {
      ...stage.checkOptions(shop),
      to: answering(() => plain(200)),
    });
    expect(report.ok).toBe(false);
    expect(fail).toEqual(['refuse.unsigned', 'refuse.secret', 'refuse.old', 'effect.paid']);
    expect(pass.filter((id) => /^(?:refuse|dup|order|mix|new)\./.test(id))).toEqual([]);
  });

  test('when it refuses everything', async () => {
    await using stage = await Stage.open();
    const { report, fail, pass } = await verdicts(stage, { to: answering(() => plain(400)) });
    expect([report.ok, fail, pass]).toEqual([false, ['accept.types'], ['answer.redirect']]);
  });

  test('when it dies of its second event', async () => {
    await using stage = await Stage.open();
    const mortal = () =>
      answering((count) => {
        if (count > 1) throw new Error('It is dead.');
        return plain(200);
      });
    const known = stage.checkOptions(stage.shop());
    for (const options of [{ to: mortal() }, { ...known, to: mortal() }]) {
      const { report, fail, pass } = await verdicts(stage, options);
      expect([report.ok, fail.includes('answer.alive')]).toEqual([false, true]);
      expect(pass.filter((id) => id !== 'answer.redirect')).toEqual([]);
    }
  });
});
