import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRunner } from './choices.js';

/** What differs between runners; the steps are the same. */
const PARTS = {
  vitest: {
    imports: `import { createSandbox } from 'pix-sandbox';
import { createReceiver } from 'pix-sandbox/testing';
import { expect, onTestFinished, test } from 'vitest';`,
    begin: 'async () => {',
    atEnd: 'onTestFinished(() => sandbox.close());',
    check: "expect(event.data.object.code).toBe('order-1');",
  },
  node: {
    imports: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSandbox } from 'pix-sandbox';
import { createReceiver } from 'pix-sandbox/testing';`,
    begin: 'async (t) => {',
    atEnd: 't.after(() => sandbox.close());',
    check: "assert.equal(event.data.object.code, 'order-1');",
  },
} as const;

/** A test that passes as written, and shows where to connect the application. */
export function firstTest(runner: Exclude<TestRunner, 'none'>): string {
  const { imports, begin, atEnd, check } = PARTS[runner];
  return `${imports}

test('a charge that is paid is announced by a signed webhook', ${begin}
  const sandbox = await createSandbox();
  ${atEnd}
  // Your application comes in here: sandbox.forwardTo('http://localhost:3000/webhooks'), and its environment is sandbox.env.
  const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
  sandbox.forwardTo(receiver);

  await sandbox.charges.create({ code: 'order-1', amount: '10.00' });
  await sandbox.charges.settle('order-1');

  const event = await receiver.waitFor('pix.settled');
  ${check}
});
`;
}

/** The path of a first test below the project folder; not every supported Node runs TypeScript, but vitest does. */
export function firstTestPath(folder: string, runner: Exclude<TestRunner, 'none'>): string {
  const tests = existsSync(join(folder, 'tests')) && !existsSync(join(folder, 'test')) ? 'tests' : 'test';
  const isTypeScript = runner === 'vitest' && existsSync(join(folder, 'tsconfig.json'));
  return `${tests}/pix-sandbox.test.${isTypeScript ? 'ts' : 'mjs'}`;
}
