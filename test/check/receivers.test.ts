import { describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { idsOf, MISTAKES } from '../helpers/check/receivers/matrix.js';
import type { ShopOptions } from '../helpers/check/receivers/shop.js';
import { fetchHandler, Stage, standardVerifier } from '../helpers/check/receivers/stage.js';

const PATIENCE_MS = 120_000;
const EFFECTS = MISTAKES.filter((id) => /^(?:effect|dup|new|order|mix)\./.test(id));
const NOTHING = { fail: [], warn: [], unknown: [], gated: [] };

async function verdicts(stage: Stage, options: Partial<CheckOptions> & Pick<CheckOptions, 'to'>) {
  const report = await runChecks({ secret: stage.secret, budgetMs: PATIENCE_MS, ...options });
  return { report, ...idsOf(report) };
}

// Side by side, because most of the time is waiting.
describe.concurrent('a correct receiver', { timeout: PATIENCE_MS }, () => {
  test.for<[string, (secret: string) => Partial<ShopOptions>]>([
    ['with a verifier of its own', () => ({})],
    ['with standardwebhooks', (secret) => ({ verify: standardVerifier(secret) })],
  ])('passes everything, strictly, %s', async ([, options]) => {
    await using stage = await Stage.open();
    const shop = stage.shop(options(stage.secret));
    const { report, pass, ...others } = await verdicts(stage, { ...stage.checkOptions(shop), strict: true });
    expect(others).toEqual(NOTHING);
    expect([report.ok, pass]).toEqual([true, MISTAKES]);
  });

  test('passes all checks without effects without a probe, in under ten seconds', async () => {
    await using stage = await Stage.open();
    const { report, pass: _pass, ...others } = await verdicts(stage, { to: fetchHandler(stage.shop()) });
    expect(others).toEqual({ ...NOTHING, unknown: EFFECTS });
    expect([report.ok, report.durationMs < 10_000]).toEqual([true, true]);
  });

  test('passes all checks but effects under a probe that always prints the same', async () => {
    await using stage = await Stage.open();
    const shop = stage.shop();
    const probe = () => Promise.resolve('{"status":"ok"}');
    const {
      report,
      pass: _pass,
      ...others
    } = await verdicts(stage, {
      ...stage.checkOptions(shop),
      probe,
      effectTimeoutMs: 100,
    });
    expect(others).toEqual({ ...NOTHING, gated: ['accept.document'], unknown: EFFECTS });
    expect(report.notes).toEqual([
      expect.stringContaining('an existing, a paid and an unknown order'),
      'The exit code is 1 only because of unobserved checks.',
    ]);
  });
});
