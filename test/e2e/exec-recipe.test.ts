import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { freePort } from '../helpers/free-port.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { Project } from '../helpers/e2e/e2e.js';
import { startApp } from '../helpers/e2e/test-app.js';

const RECIPE = join(import.meta.dirname, '../../fixtures/examples/github-actions/pix-sandbox.yml');

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

describe('the recipe for CI', () => {
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
    expect(ran.stderr).toMatch(
      /unverified http:\S+ did not accept a forged pix\.settled, and answered 400: /,
    );
    expect(ran.stderr).not.toContain('::error');
    const [first, second, forged] = app.hooks;
    expect([app.hooks.length, app.refusals.length, second?.id]).toEqual([3, 1, first?.id]);
    expect(forged?.id).not.toBe(first?.id);
    expect(forged?.body.replaceAll(forged.id, first?.id ?? '')).toBe(first?.body);
    expect(ran.stderr).toMatch(/the next one 500ms after it \(sandbox time\)$/m);
    expect(ran.stderr).not.toMatch(/clock next|deliveries retry|Ctrl-C/);
  });

  test('fails with a receiver that never verifies, and says so', async () => {
    using project = new Project();
    await using app = await startApp();
    const ran = await project.run(recipe(app.port, TRIGGER), ON_GITHUB);
    const problem = `http://127.0.0.1:${app.port}/webhooks accepted a pix.settled with a wrong-signature after the command, with 200: ok`;
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`unverified ${problem}\n`) });
    expect(ran.stderr).toContain(`::error title=pix-sandbox unverified::${problem}`);
  });

  test('says that nothing forged was tried where the receiver ends with the tests', async () => {
    using project = new Project();
    const port = await freePort();
    const env = { PORT: String(port) };
    const ran = await project.run(recipe(port, receiverOf(2)), { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toMatch(/unverified nothing forged was tried: http:\S+ no longer answers \(CONN/);
  });
});

describe('exec', () => {
  test('advances a frozen clock to the retries, and says how to try a forgery', async () => {
    using project = new Project();
    const env = { PORT: String(await freePort()) };
    const words = ['exec', '--freeze', '2026-01-31T12:00:00Z', '--retries', 'real', '--forward-to', env.PORT];
    const failOn = ['--fail-on', 'undelivered,unverified'];
    const ran = await project.run([...words, ...failOn, '--', process.execPath, '-e', receiverOf(8)], {
      env,
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/ 204 pix.* attempt 8$/m) });
    expect(ran.stderr).toMatch(
      /^unverified nothing forged was tried, .*--probe-forged .*faults add wrong-signature/m,
    );
  });

  test('sends no forgery to another machine', async () => {
    using project = new Project();
    const options = [
      '--forward-to',
      'http://shop.example/hooks',
      '--fail-on',
      'unverified',
      '--probe-forged',
    ];
    const ran = await project.run(['exec', ...options, '--', process.execPath, '-e', '']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('loopback only') });
    const alone = await project.run(['exec', '--probe-forged', '--', process.execPath, '-e', '']);
    expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--fail-on unverified') });
  });

  test('names the status and the answer of a receiver that always fails', async () => {
    using project = new Project();
    await using app = await App.start(WELL_KNOWN_CREDENTIALS.webhookSecret);
    app.answer = () => 503;
    app.says = 'the database\nis on fire';
    const options = ['--freeze', '2026-01-31T12:00:00Z', '--forward-to', app.url, '--fail-on', 'undelivered'];
    const ran = await project.run(['exec', ...options, '--', process.execPath, '-e', TRIGGER], ON_GITHUB);
    const problem = 'after 8 attempts: 8 × HTTP_STATUS 503: the database is on fire';
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(`::error title=.*${problem}`) });
    expect(app.hooks).toHaveLength(8);
  });
});
