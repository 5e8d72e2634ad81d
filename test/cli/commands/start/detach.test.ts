import { expect, test } from 'vitest';
import { formatReady } from '../../../../src/cli/commands/start/detach.js';
import { KEYS_HINT } from '../../../../src/cli/commands/start/keys/start-keys.js';
import { createEnvironmentBlock, WELL_KNOWN_CREDENTIALS } from '../../../../src/sandbox/credentials.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';

const url = 'http://127.0.0.1:7490';
const READY = {
  url,
  version: '1.0.0',
  env: createEnvironmentBlock(url, WELL_KNOWN_CREDENTIALS),
  targets: [],
  isDetached: false,
};

function screen(columns: number, more: Partial<Parameters<typeof formatReady>[1]> = {}): string {
  return formatReady({ ...fakeIo({ columns }).io, program: 'npx sandbox' }, { ...READY, ...more });
}

test('shows the next steps, and then what the application needs', () => {
  expect(screen(80, { offersReceiver: true })).toBe(`PIX sandbox 1.0.0 is ready at http://127.0.0.1:7490

Next, in another terminal:
  npx sandbox listen --forward-to localhost:3000/webhooks
  npx sandbox trigger pix.settled
Without an application: press v (test receiver), then t.

For your application (all variables: \`npx sandbox env\`):
  SANDBOX_URL             http://127.0.0.1:7490
  SANDBOX_ACCOUNT_ID      00000000-0000-4000-8000-000000000001
  SANDBOX_TOKEN           pix_test_token_0000000000000001
  SANDBOX_SIGNING_SECRET  pix_test_signing_secret_0000000000000001
  SANDBOX_WEBHOOK_SECRET  whsec_cGl4LXNhbmRib3ggd2VsbC1rbm93biBzZWNyZXQgMDE=`);
});

test('suggests no listen if it forwards itself; detached, it says where to and needs no other terminal', () => {
  const text = screen(100, { targets: ['http://localhost:5101/hooks/pix'], isDetached: true });
  expect(text.split('\n').slice(1, 6)).toEqual([
    'Webhooks are forwarded to http://localhost:5101/hooks/pix',
    '',
    'Next:',
    '  npx sandbox trigger pix.settled',
    '',
  ]);
  expect(screen(80, { isDetached: true })).toContain('\nWebhooks are not forwarded.\n');
});

test('prints the usual block on a pipe', () => {
  const lines = screen(0, { env: { ...READY.env, SANDBOX_CONTROL_TOKEN: 'drawn' } }).split('\n');
  expect(lines.slice(-6)).toEqual([
    '  SANDBOX_URL=http://127.0.0.1:7490',
    '  SANDBOX_ACCOUNT_ID=00000000-0000-4000-8000-000000000001',
    '  SANDBOX_TOKEN=pix_test_token_0000000000000001',
    '  SANDBOX_SIGNING_SECRET=pix_test_signing_secret_0000000000000001',
    '  SANDBOX_WEBHOOK_SECRET=whsec_cGl4LXNhbmRib3ggd2VsbC1rbm93biBzZWNyZXQgMDE=',
    '  SANDBOX_CONTROL_TOKEN=drawn',
  ]);
});

test('prints the URL of the console with the token only if it is required', () => {
  const required = screen(80, { env: { ...READY.env, SANDBOX_CONTROL_TOKEN: 'a/b+c=' } });
  expect(required.split('\n').slice(1, 3)).toEqual([
    'Web console:',
    '  http://127.0.0.1:7490/#token=a%2Fb%2Bc%3D',
  ]);
  expect(screen(80)).not.toContain('#token');
});

test('fits 80 columns and 24 rows with the following output, and 40 columns except for values', () => {
  const lines = screen(80, {
    offersReceiver: true,
    env: { ...READY.env, SANDBOX_CONTROL_TOKEN: 'drawn' },
  }).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  // A blank line, what is kept, what is forwarded, the keys, and the cursor.
  expect(lines.length + 5).toBeLessThanOrEqual(24);
  expect(KEYS_HINT.length).toBeLessThanOrEqual(78);
  expect(screen(100, { offersReceiver: true })).toBe(screen(80, { offersReceiver: true }));
  const values = Object.values<string>(READY.env);
  const narrow = screen(40, { offersReceiver: true }).split('\n');
  expect(narrow.slice(0, 14).join('\n')).toBe(`PIX sandbox 1.0.0 is ready at
  http://127.0.0.1:7490

Next, in another terminal:
  npx sandbox listen --forward-to
    localhost:3000/webhooks
  npx sandbox trigger pix.settled
Without an application: press v (test
  receiver), then t.

For your application (all variables:
  \`npx sandbox env\`):
  SANDBOX_URL
  http://127.0.0.1:7490`);
  expect(narrow.filter((line) => line.length > 40 && !values.includes(line.trim()))).toEqual([]);
});
