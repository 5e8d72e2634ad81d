import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CHECK_CATALOG } from '../../../../src/check/catalog.js';
import { exportWorld } from '../../../../src/core/state/export.js';
import { formatProgress } from '../../../../src/cli/commands/check/text.js';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { served } from '../../../helpers/check/serve-receiver.js';
import { smallShop } from '../../../helpers/check/small-shop.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;
const ENV = { SANDBOX_WEBHOOK_SECRET: SECRET };

async function usageOf(options: Readonly<Record<string, unknown>>, cwd = '/nowhere'): Promise<CliError> {
  const error = await rejectionOf(runBody('check', { options, env: ENV, cwd }), CliError);
  expect(error.exitCode).toBe(EXIT_CODES.usage);
  return error;
}

describe('check', () => {
  test('lists all or the chosen checks', async () => {
    const options = { list: true, forwardTo: ['3000', '4000'] };
    const { stdout } = await runBody('check', { options, columns: 80 });
    expect(stdout.match(/^[a-z]+\.\S+/gm)).toEqual(CHECK_CATALOG.map(({ id }) => id));
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    const chosen = await runBody('check', { options: { list: true, only: 'time,refuse.json' }, json: true });
    const { checks } = JSON.parse(chosen.stdout) as { checks: { id: string }[] };
    expect(checks.map(({ id }) => id)).toEqual(['refuse.json', 'time.limit', 'time.advice']);
  });

  test('names failures, with the fix and the command that repeats the request', async () => {
    await using shop = await served(smallShop(SECRET, { verifies: false }).fetch);
    const options = { forwardTo: `${shop.port}/webhooks`, only: 'refuse.secret,refuse.body,refuse.json' };
    const { stdout, stderr, exitCode } = await runBody('check', { options, env: ENV, columns: 80 });
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stdout).toMatch(/^fail {5}refuse\.secret/m);
    expect(stdout).toMatch(/^gated {4}refuse\.body/m);
    expect(stdout).toMatch(/^pass {5}refuse\.json/m);
    expect(stdout).toContain('fix       compare the signature with the expected one, and reject mismatches');
    expect(stdout).toContain('contract  INTERFACE.md §5.5');
    expect(stdout).toContain(`check --forward-to ${shop.port}/webhooks --only refuse.secret --verbose`);
    expect(stdout.trimEnd()).toMatch(/1 pass, 1 fail \(refuse\.secret\), 1 gated in .+\.$/);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stderr).toContain(`Checking http://localhost:${shop.port}/webhooks\n`);
  });

  test('prints the headline, failures, unobserved checks, the table and unchecked rules, in this order', async () => {
    await using shop = await served(smallShop(SECRET, { verifies: false }).fetch);
    const options = {
      forwardTo: String(shop.port),
      only: 'refuse.secret,refuse.body,refuse.json,dup.again,mix',
      secret: [SECRET],
      header: ['Authorization: Bearer 123456789'],
      without: 'withdrawals',
      wait: '1s',
      probeIgnore: ['updated_at'],
    };
    const { stdout } = await runBody('check', { options });
    const first =
      'Signatures and transport: 1 passed, 1 failed, 1 gated: refuse.body. Effects not checked: add --probe and --order (2 checks).\n';
    expect(stdout.startsWith(first)).toBe(true);
    const parts = [
      'fail refuse.secret (must)',
      `rerun     npx sandbox check --forward-to ${shop.port} --without withdrawals --wait 1s --probe-ignore updated_at --only refuse.secret --verbose`,
      'with      the same --secret and --header',
      'Gated: refuse.secret failed: signatures are not verified at all\n  refuse.body',
      'gated    refuse.body',
      'pass     refuse.json',
      'Not checked: add --probe.\n  dup.again',
      'Not checked: add --probe and --order.\n  mix.orders',
      'Verify manually',
    ];
    const places = parts.map((part) => stdout.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(stdout).not.toMatch(/^unknown/m);
  });

  test('fails without a probe and an order if effects are required, and names what is missing', async () => {
    await using shop = await served(smallShop(SECRET).fetch);
    const common = { forwardTo: String(shop.port), only: 'accept.raw,dup.again' };
    const lenient = await runBody('check', { options: common, env: ENV, json: true });
    expect(lenient.exitCode).toBe(EXIT_CODES.done);
    expect(JSON.parse(lenient.stdout)).toMatchObject({
      ok: true,
      scope: 'wire',
      complete: true,
      not_observed: [],
      checks: [{ applies: true }, { applies: false, verdict: 'unknown' }],
    });
    const env = { ...ENV, GITHUB_ACTIONS: 'true' };
    const strict = await runBody('check', { options: { ...common, require: 'effects' }, env });
    expect(strict.exitCode).toBe(EXIT_CODES.no);
    expect(strict.stderr).toMatch(/^::error title=pix-sandbox check::.*Effects are required/m);
    expect(strict.stdout).toContain(
      'Effects are required, but were not checked: add --probe and --order (1 check).',
    );
  });

  test('fails for a must that was not observed, unless it is allowed or in the baseline', async () => {
    using folder = tempFolder();
    await using shop = await served(smallShop(SECRET).fetch);
    const probe = 'no-such-probe {code}';
    const common = { forwardTo: String(shop.port), only: 'accept.raw,dup.again', probe };
    const where = { env: { ...process.env, ...ENV }, cwd: folder.path };
    const options = { ...common, writeBaseline: 'known.json' };
    const first = await runBody('check', { options, ...where, json: true });
    expect(first.exitCode).toBe(EXIT_CODES.no);
    expect(JSON.parse(first.stdout)).toMatchObject({
      complete: false,
      not_observed: [{ id: 'dup.again', level: 'must', reason: expect.stringMatching(/./) }],
    });
    for (const excuse of [{ allowUnobserved: 'dup' }, { baseline: 'known.json' }]) {
      const again = await runBody('check', { options: { ...common, ...excuse }, ...where });
      expect(again.exitCode).toBe(EXIT_CODES.done);
    }
  });

  test('shows every request and response with --verbose, and no secret', async () => {
    await using shop = await served(smallShop(SECRET).fetch);
    const options = {
      forwardTo: String(shop.port),
      only: 'refuse.prefix',
      verbose: true,
      header: ['Authorization: Bearer 123456789'],
    };
    const { stdout, exitCode } = await runBody('check', { options, env: ENV });
    expect(exitCode).toBe(EXIT_CODES.done);
    expect(stdout).toContain(`> POST http://localhost:${shop.port}/`);
    expect(stdout).toContain('< 400 "No."');
    expect(stdout).not.toContain('123456789');
  });

  test('writes reports and a baseline, with which the same run passes', async () => {
    using folder = tempFolder();
    await using shop = await served(smallShop(SECRET, { verifies: false }).fetch);
    const common = { forwardTo: String(shop.port), only: 'refuse.secret' };
    const cwd = folder.path;
    const files = { junit: 'report.xml', html: 'report.html', writeBaseline: 'known.json' };
    const first = await runBody('check', { options: { ...common, ...files }, env: ENV, cwd });
    expect(first.exitCode).toBe(EXIT_CODES.no);
    expect(readFileSync(`${cwd}/report.xml`, 'utf8')).toContain('failures="1"');
    expect(readFileSync(`${cwd}/report.html`, 'utf8')).toContain(
      'Signatures and transport: 0 passed, 1 failed.',
    );
    const again = await runBody('check', {
      options: { ...common, baseline: 'known.json' },
      env: ENV,
      cwd,
      json: true,
    });
    expect(again.exitCode).toBe(EXIT_CODES.done);
    expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, checks: [{ verdict: 'fail', known: true }] });
  });

  test('sends its report to the running sandbox for the console', async () => {
    await using sandbox = await cliSandbox();
    await using shop = await served(smallShop(SECRET, { verifies: false }).fetch);
    const before = exportWorld(sandbox.server.sandbox.world);
    const options = { forwardTo: String(shop.port), only: 'refuse.secret', secret: [SECRET] };
    const { stderr } = await sandbox.run('check', { options });
    expect(stderr).toContain(`See the report in the console: ${sandbox.server.url}/check\n`);
    const kept = await (await fetch(`${sandbox.server.url}/_sandbox/check`)).json();
    expect(kept).toMatchObject({
      report: {
        ok: false,
        checks: [{ id: 'refuse.secret', verdict: 'fail' }],
        again: `check --forward-to ${shop.port}`,
      },
    });
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(exportWorld(sandbox.server.sandbox.world)).toEqual(before);
  });

  test('reports normally if the named sandbox has stopped', async () => {
    await using shop = await served(smallShop(SECRET).fetch);
    const env = { ...ENV, SANDBOX_URL: 'http://127.0.0.1:1' };
    const options = { forwardTo: String(shop.port), only: 'accept.raw' };
    const { exitCode, stderr } = await runBody('check', { options, env });
    expect([exitCode, stderr]).toEqual([EXIT_CODES.done, `Checking http://localhost:${shop.port}/\n`]);
  });

  test('ends within its budget if the receiver hangs, with a report', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { forwardTo: `127.0.0.1:${port}`, budget: '50ms', only: 'accept.raw' };
    const { exitCode, stdout } = await runBody('check', { options, env: ENV });
    expect(exitCode).toBe(EXIT_CODES.timedOut);
    expect(stdout).toContain('the time budget ran out');
    server.close();
  });

  test('rejects invalid options before anything is sent', async () => {
    using folder = tempFolder();
    folder.write('known.json', '{"checks":[{"id":"refuse.prefx","reason":"x","expires":"2026-12-31"}]}');
    const to = { forwardTo: '3000' };
    expect(await usageOf({ forwardTo: ['{port}/hook'] })).toMatchObject({
      message: 'check requires a receiver.',
      hint: 'Pass --forward-to 3000/webhooks, or set forwardTo in sandbox.config.json.',
    });
    expect(await usageOf({ forwardTo: ['3000', '4000'] })).toMatchObject({
      message: 'check requires exactly one receiver; got 3000 and 4000.',
      hint: 'Pass --forward-to, or set check.forwardTo in sandbox.config.json.',
    });
    expect((await usageOf({ forwardTo: 'https://shop.example/hook' })).hint).toContain('--yes-remote');
    expect((await usageOf({ ...to, probe: 'curl localhost:3000/orders' })).message).toContain('{code}');
    expect((await usageOf({ ...to, order: 'http://localhost:5101/orders' })).hint).toContain(
      String.raw`--order "curl -sf http://localhost:5101/orders -H 'content-type: application/json' -d '{\"code\":\"{code}\",`,
    );
    expect((await usageOf({ ...to, only: 'refuse.prefx' })).message).toContain('Did you mean refuse.prefix?');
    expect((await usageOf({ ...to, allowUnobserved: '*' })).message).toContain('is not a check or group');
    expect((await usageOf({ ...to, without: 'deposits' })).message).toContain('deposits');
    expect((await usageOf({ ...to, require: 'all' })).message).toContain('all');
    expect((await usageOf({ ...to, port: '7490' })).message).toContain('--port requires --order');
    expect((await usageOf({ ...to, useRunning: true })).message).toContain('--use-running requires --order');
    expect((await usageOf({ ...to, secret: [SECRET, SECRET] })).message).toContain('one secret; got 2');
    expect((await usageOf({ ...to, baseline: 'known.json' }, folder.path)).message).toMatch(
      /known\.json:1:13 checks\[0\]\.id: Unknown check refuse\.prefx\. Did you mean refuse\.prefix\?/,
    );
    await usageOf({ ...to, junit: 'none/report.xml' }, folder.path);
    await usageOf({ ...to, writeBaseline: 'known.json', secret: ['no'] }, folder.path);
    expect(readFileSync(`${folder.path}/known.json`, 'utf8')).toContain('refuse.prefx');
    expect(existsSync(`${folder.path}/none`)).toBe(false);
  });

  test('suggests the sandbox that uses a port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { forwardTo: '3000', order: 'true {code}', port: String(port) };
    const error = await rejectionOf(runBody('check', { options, env: ENV }), CliError);
    expect(error).toMatchObject({
      exitCode: EXIT_CODES.portTaken,
      hint: expect.stringContaining('--use-running'),
    });
    server.close();
  });

  test('explains why an order command created no charge', async () => {
    await using shop = await served(smallShop(SECRET).fetch);
    const options = (order: string) => ({ forwardTo: String(shop.port), order, only: 'accept.raw' });
    const env = { ...process.env, ...ENV };
    const failed = await rejectionOf(
      runBody('check', { options: options('echo no {code} >&2; exit 7'), env, cwd: '/' }),
      CliError,
    );
    expect(failed).toMatchObject({
      exitCode: EXIT_CODES.usage,
      message: expect.stringMatching(/exited with code 7: no check-/),
    });
    const idle = await rejectionOf(
      runBody('check', { options: options('true {code}'), env, cwd: '/' }),
      CliError,
    );
    expect(idle.message).toContain('no charge was created');
  });
});

test('names the longest running check in the progress', () => {
  expect(formatProgress({ running: ['dup.parallel', 'dup.cut'], done: 18, total: 46 })).toBe(
    '18 of 46 checks, dup.parallel…',
  );
  expect(formatProgress({ running: [], done: 46, total: 46 })).toBe('46 of 46 checks');
});
