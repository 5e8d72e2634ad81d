import { describe, expect, test } from 'vitest';
import type { Ended } from '../helpers/e2e/example.js';
import { Example } from '../helpers/e2e/example.js';
import { freePort } from '../helpers/free-port.js';
import { tries } from '../helpers/soak-scale.js';

const WORKERS = 8;
/** All files at once, each on its own, as a user may run them. */
const PARALLEL = `--pool threads --maxWorkers ${WORKERS}`;
/** Files that share their modules: half the work. */
const SHARED = '--maxWorkers 2 --no-isolate';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs the shop's own tests; a test that fails says why on a machine that has other things to do, too. */
function runSuite(example: Example, words: string): Promise<Ended> {
  return example.run(`${example.script('test')} --reporter=json --testTimeout 30000 ${words}`);
}

function reportOf({ stdout, stderr }: Ended) {
  if (!stdout.startsWith('{')) throw new Error(`Expected a report; got ${stdout}\n${stderr}`);
  const { testResults } = JSON.parse(stdout) as Report;
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ file: name, fullName, status })),
  );
  const named = (wanted: string) =>
    tests.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  return { files: testResults.length, tests, passed: named('passed'), failed: named('failed') };
}

describe('the shop’s suite', () => {
  const passed: string[][] = [];

  test.for(tries({ part: [SHARED], whole: [PARALLEL, SHARED] }))(
    'passes in any order, whatever its files share: %s',
    async (words) => {
      using example = new Example('shop');
      const seed = Math.floor(Math.random() * 1_000_000);
      const ended = await runSuite(example, `--sequence.shuffle --sequence.seed ${seed} ${words}`);
      const report = reportOf(ended);
      expect(report.failed, `with seed ${seed}`).toEqual([]);
      expect([ended.exitCode, report.files >= WORKERS]).toEqual([0, true]);
      passed.push(report.passed.toSorted());
      expect(passed.at(-1)).toEqual(passed[0]);
    },
  );

  test('detects common integration bugs', async () => {
    using example = new Example('shop');
    const replace = example.replace.bind(example);
    replace('src/orders.js', 'if (processed.has(webhookId)) return undefined;', '');
    replace('src/orders.js', 'if (isPaid(order)) return', 'if (!order.expiredAt && isPaid(order)) return');
    replace('src/shop.js', 'PixApiError ? 502 : 500', 'PixApiError ? 502 : 200');
    replace(
      'src/shop.js',
      '{ headers, body, secret',
      '{ headers, body: JSON.stringify(JSON.parse(body)), secret',
    );
    replace('src/pix-api.js', 'const ATTEMPTS = 3', 'const ATTEMPTS = 1');
    replace('src/pix-api.js', 'after = page.paging.after', 'after = undefined');
    replace('src/webhooks.js', 'if (Math.abs(nowS - Number(timestamp)) > toleranceS) return false;', '');
    const { failed } = reportOf(await runSuite(example, SHARED));
    expect(failed).toEqual(
      expect.arrayContaining([
        'counts a webhook delivered three times as one payment',
        'ignores an expiry event after the payment',
        'an order expires and is paid late',
        'receives an event again until it stops responding 500',
        'refuses a forged webhook',
        'stale-timestamp is refused, and the next attempt accepted',
        'a charge survives the fault lose-response',
        'reads every page of the account despite rate limits',
        'no failure scenario breaks the shop',
      ]),
    );
  });
});

describe('the shop through exec', () => {
  const run = async (example: Example) =>
    example.run(example.script('test:exec'), { PORT: String(await freePort()) });

  test('the shop through exec is paid, paid late, and notified again', async () => {
    using example = new Example('shop');
    const { exitCode, stdout, stderr } = await run(example);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('\nDeliveries at the end: 4 DELIVERED.\nverified http'),
    ]);
    expect(stdout.match(/^order-\d is .*$/gm)).toEqual([
      'order-1 is on its way.',
      'order-1 is paid',
      'order-2 is expired',
      'order-2 is on its way.',
      'order-2 is paid late',
      'order-3 is awaiting payment',
      'order-3 is on its way.',
      'order-3 is paid',
    ]);
  });
});
