import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { freePort } from '../helpers/free-port.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { Project } from '../helpers/e2e/e2e.js';
import { startApp } from '../helpers/e2e/test-app.js';

const ROOT = join(import.meta.dirname, '../..');
const RECIPE = join(ROOT, 'fixtures/examples/github-actions/pix-sandbox.yml');

const TRIGGER = `fetch(process.env.SANDBOX_URL + '/_sandbox/trigger', { method: 'POST', body: '{"type":"pix.settled"}', headers: { 'content-type': 'application/json' } })`;

/** A command that receives webhooks itself, refuses all but the last, and ends with that. */
const receiverOf = (count: number) => `
  let left = ${count};
  require('node:http').createServer((request, response) => {
    left -= 1;
    response.writeHead(left > 0 ? 500 : 204).end('not now');
    if (left === 0) response.once('close', () => process.exit());
  }).listen(process.env.PORT, '127.0.0.1', () => ${TRIGGER});`;

/** The words of the README's recipe, with the port of this receiver and this script in the place of \`npm test\`. */
function recipe(port: number, script: string): string[] {
  const [, options = ''] = /npx sandbox (exec .*) -- npm test/.exec(readFileSync(RECIPE, 'utf8')) ?? [];
  expect(options).toContain(' 3000/webhooks ');
  return [...options.replace('3000', `127.0.0.1:${port}`).split(' '), '--', process.execPath, '-e', script];
}

const ON_GITHUB = { env: { GITHUB_ACTIONS: 'true' } };

describe('the CI recipe', () => {
  test('passes with a receiver that fails once and verifies', async () => {
    using project = new Project();
    await using app = await App.start(WELL_KNOWN_CREDENTIALS.webhookSecret);
    app.answer = () => (app.hooks.length === 1 ? 500 : 200);
    const ran = await project.run(recipe(Number(new URL(app.url).port), TRIGGER), ON_GITHUB);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringMatching(/ 500 pix[^]* 200 pix/),
    });
    expect(ran.stderr).toMatch(/^verified http:\S+ refused a forged pix\.settled with 400: /m);
    expect(ran.stderr).toMatch(/ 400 pix\.settled .* forged copy, to test signature verification$/m);
    expect(ran.stderr).toMatch(/^Deliveries at the end: 1 DELIVERED\.$/m);
    expect(ran.stderr).not.toContain('::error');
    const [first, second, forged] = app.hooks;
    expect([app.hooks.length, app.refusals.length, second?.id]).toEqual([3, 1, first?.id]);
    expect(forged?.id).not.toBe(first?.id);
    expect(forged?.body.replaceAll(forged.id, first?.id ?? '')).toBe(first?.body);
    expect(ran.stderr).toMatch(/next attempt 500ms later \(sandbox time\)$/m);
    expect(ran.stderr).not.toMatch(/clock next|deliveries retry|Ctrl-C/);
  });

  test('fails with a receiver that never verifies, and reports it', async () => {
    using project = new Project();
    await using app = await startApp();
    const ran = await project.run(recipe(app.port, TRIGGER), ON_GITHUB);
    const problem = `http://127.0.0.1:${app.port}/webhooks accepted a forged pix.settled (wrong signature, new webhook-id) with 200: ok. Verify the signature over the raw body before anything else, and respond with 400 if it is invalid.`;
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`unverified ${problem}\n`) });
    expect(ran.stderr).toContain(`::error title=pix-sandbox unverified::${problem}`);
  });

  test('fails if the receiver ends with the first event that it accepts', async () => {
    using project = new Project();
    const port = await freePort();
    const env = { PORT: String(port) };
    const ran = await project.run(recipe(port, receiverOf(2)), { env });
    expect(ran).toMatchObject({ exitCode: 1 });
    expect(ran.stderr).toMatch(
      /^unverified http:\S+ accepted an event, but did not respond to a forged copy \(CONN.*\)\. Keep the receiver running/m,
    );
  });

  test.each([
    ['nothing uses the sandbox', 'unused'],
    ['no event is accepted', 'unverified'],
  ])('fails if %s', async (_title, kind) => {
    using project = new Project();
    const call = `fetch(process.env.SANDBOX_BASE_URL + '/api/public/v1/pix')`;
    const ran = await project.run(recipe(1, kind === 'unused' ? '' : call), ON_GITHUB);
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`::error title=pix-sandbox ${kind}::`),
    });
    expect(ran.stderr.match(/^::error/gm)).toHaveLength(1);
  });
});

/** Every page and file of the package that shows how `exec` is called. */
const SHOWN = ['README.md', 'README.pt-BR.md', 'fixtures'].flatMap((path) => filesIn(join(ROOT, path)));

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(?:md|ya?ml|json|sh|py)$/.test(name)).map((name) => join(path, name));
}

/** The options of each call with `--fail-on unverified`, without repetition; others do not claim to find forgeries. */
const CALLS = [
  ...new Set(
    SHOWN.flatMap((file) =>
      Array.from(
        readFileSync(file, 'utf8').matchAll(/sandbox exec ((?:--\S+ (?:[^-\s]\S* )?)*--fail-on .*?)-- /g),
        ([, options = '']) => options.trim(),
      ),
    ).filter((options) => options.includes('unverified')),
  ),
];

test('tries at least one command with --fail-on', () => expect(CALLS.length).toBeGreaterThan(4));

describe.concurrent('a receiver that accepts forgeries', () => {
  test.each(CALLS)('a receiver that accepts forgeries is caught by exec %s', async (options) => {
    using project = new Project();
    await using app = await startApp();
    const words = options.replace(/(?:3000|\$\{PORT:-3000\})/, `127.0.0.1:${app.port}`).split(' ');
    const ran = await project.run(['exec', ...words, '--', process.execPath, '-e', TRIGGER], ON_GITHUB);
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('::error title=pix-sandbox unverified::'),
    });
  });
});

test('exec advances a frozen clock to the retries', async () => {
  using project = new Project();
  const env = { PORT: String(await freePort()) };
  const words = ['exec', '--freeze', '2026-01-31T12:00:00Z', '--retries', 'real', '--forward-to', env.PORT];
  const failOn = ['--fail-on', 'undelivered'];
  const ran = await project.run([...words, ...failOn, '--', process.execPath, '-e', receiverOf(8)], {
    env,
  });
  expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/ 204 pix.* attempt 8$/m) });
});
