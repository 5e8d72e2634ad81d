import { expect, test } from 'vitest';
import type { FetchTarget } from '../../../src/check/check.js';
import { hasStackTrace } from '../../../src/check/checks/refuse.js';
import { runChecks } from '../../../src/check/engine.js';
import { smallShop } from '../../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;

async function oldWith(toleranceS: number) {
  const { checks } = await runChecks({
    to: smallShop(SECRET, { toleranceS }),
    secret: SECRET,
    only: ['refuse.old'],
  });
  return checks[0];
}

test.each([
  [1_200, 'pass', 'between 10 min and 1 h', 'the age is not checked'],
  [7_200, 'fail', 'between 1 h and 1 d', 'the tolerance is too large or uses another unit'],
  [172_800, 'fail', 'between 1 d and 4 d', 'the tolerance is too large or uses another unit'],
  [10_000_000, 'fail', 'at least 4 d', 'the age is not checked'],
])('refuse.old names a tolerance of %i s', async (toleranceS, verdict, range, likely) => {
  expect(await oldWith(toleranceS)).toMatchObject({
    verdict,
    likely,
    got: expect.stringContaining(`maximum accepted signature age: ${range}`),
  });
});

test('refuse.old names no tolerance when all ages are rejected', async () => {
  expect(await oldWith(300)).toMatchObject({ verdict: 'pass', got: '400 "No."' });
});

/** A shop that responds 200 to everything, and applies what `isApplied` says and what is signed. */
function polite(isApplied: (request: Request, body: string) => boolean) {
  const [careful, careless] = [smallShop(SECRET), smallShop(SECRET, { verifies: false })];
  const to: FetchTarget = {
    fetch: async (request) => {
      const body = await request.clone().text();
      const copy = request.clone();
      const response = await careful.fetch(request);
      if (response.status === 400 && isApplied(copy, body)) await careless.fetch(copy);
      return new Response('OK');
    },
  };
  const probe: typeof careful.probe = async (subject) =>
    `${await careful.probe(subject)}\n${await careless.probe(subject)}`;
  return { to, probe };
}

const REFUSALS = ['refuse.unsigned', 'refuse.secret', 'refuse.body', 'refuse.empty'];

async function verdictsOf(shop: ReturnType<typeof polite>) {
  const { checks } = await runChecks({ ...shop, secret: SECRET, only: REFUSALS });
  return new Map(checks.map((check) => [check.id, check]));
}

test('reports a forgery with a 2xx and no effect, and gates the others with that reason', async () => {
  const checks = await verdictsOf(polite(() => false));
  for (const id of ['refuse.unsigned', 'refuse.secret']) {
    expect(checks.get(id)).toMatchObject({
      verdict: 'fail',
      expected: '4xx, and the order is unchanged',
      got: '200 "OK"; a forged event gets 200 but is not applied',
      fix: 'respond 401 or 400, so that the sender notices',
    });
  }
  expect(checks.get('refuse.body')).toMatchObject({
    verdict: 'gated',
    reason: 'refuse.secret failed: forged events get a 2xx, although they are not applied',
  });
});

test('does not gate an applied forgery by forgeries without an effect', async () => {
  const checks = await verdictsOf(polite((_, body) => body.includes('"900.00"')));
  expect(checks.get('refuse.secret')).toMatchObject({ verdict: 'fail', isApplied: false });
  expect(checks.get('refuse.body')).toMatchObject({
    verdict: 'fail',
    got: expect.stringContaining('the order changed'),
  });
  expect(checks.get('refuse.empty')?.verdict).toBe('gated');
});

test.each([
  ['Node', 'Error: bad signature\n    at verify (/app/server.js:10:11)'],
  ['Python', 'Traceback (most recent call last):\n  File "app.py", line 3'],
  ['Java', 'java.lang.IllegalStateException: bad\n\tat shop.Hook.verify(Hook.java:12)'],
  ['Go', 'panic: bad\n\ngoroutine 18 [running]:'],
  ['Ruby', "app.rb:12:in `verify'"],
  ['PHP', '#0 /srv/hook.php(12): verify()'],
  ['.NET', '   at Shop.Hook.Verify(String text) in /src/Hook.cs:line 12'],
  ['Express', '<pre>Error: bad signature<br> &nbsp; &nbsp;at verify (/app/server.js:10:11)<br></pre>'],
  [
    'Django',
    '<p>You’re seeing this error because you have <code>DEBUG = True</code> in your Django settings file.</p>',
  ],
  ['Werkzeug', '<title>ValueError: bad // Werkzeug Debugger</title>'],
  ['Werkzeug without its title', '<h2 class="traceback">Traceback <em>(most recent call last)</em></h2>'],
  [
    'Sinatra',
    '<div class="location"><span class="filename">app.rb</span></div><code>hook.rb</code>: in <code>verify</code>',
  ],
  ['Rails', '<title>Action Controller: Exception caught</title>'],
  [
    'PHP with html_errors',
    '<b>Fatal error</b>:  Uncaught Error in <b>/srv/hook.php</b> on line <b>12</b><br />',
  ],
  ['Whoops', '<div class="Whoops container">'],
  [
    'Laravel',
    '<span>/srv/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php</span>:<span>167</span>',
  ],
  [
    'Laravel as JSON',
    '{"message":"bad","exception":"Error","file":"/srv/Hook.php","line":12,"trace":[{"file":"/srv/x.php"}]}',
  ],
  ['Symfony', '<div class="trace trace-as-html" id="trace-box-1">'],
  [
    'Tomcat',
    '<p><b>Exception</b></p><pre>java.lang.IllegalStateException: bad\n\tshop.Hook.verify(Hook.java:12)\n</pre>',
  ],
])('recognizes a stack trace of %s', (_, text) => {
  expect(hasStackTrace(text)).toBe(true);
});

test.each([
  '{"error":"invalid signature"}',
  '<h1>Bad Request</h1><p>The signature does not match at 12:30.</p>',
  '<!doctype html><title>400 Bad Request</title><hr><center>nginx</center>',
])('does not recognize %s as a stack trace', (text) => {
  expect(hasStackTrace(text)).toBe(false);
});
