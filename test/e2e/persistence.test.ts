import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { App } from '../helpers/e2e/e2e-app.js';
import { Project } from '../helpers/e2e/e2e.js';

interface Status {
  readonly charges: Readonly<Record<string, number>>;
  readonly deliveries: Readonly<Record<string, number>>;
}

test('a sandbox with --data resumes its state, which only its owner may read', async () => {
  using project = new Project();
  await using app = await App.start();
  const args = ['--data', 'kept', '--seed', '7', '--freeze', '2026-01-31T12:00:00Z'];
  {
    await using sandbox = await project.start(args);
    app.secret = sandbox.env('SANDBOX_WEBHOOK_SECRET');
    await using listener = await project.listen(['--forward-to', app.url]);
    await project.ask(['trigger', 'pix.settled', '--wait']);
    await project.ask(['charges', 'create', '--code', 'open']);
    await listener.leave();
    expect((await sandbox.leave()).exitCode).toBe(130);
  }
  const folder = join(project.folder, 'kept');
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, ...modes.map(() => 0o600)]);
  const before = await project.json<{ world: object }>(['state', 'export', '--data', 'kept']);
  await using again = await project.start(args);
  expect(await project.ask<Status>(['status'])).toMatchObject({
    charges: { SETTLED: 1, PENDING: 1 },
    deliveries: { DELIVERED: 1 },
  });
  expect(again.stderr.text()).toContain('--seed will apply after `npx sandbox reset`');
  expect(before.world).toMatchObject({ charges: [{ status: 'SETTLED' }, { code: 'open' }] });
  const second = await project.run(['start', '--port', '0', '--data', 'kept', '--json']);
  expect(second.exitCode).toBe(2);
  expect(JSON.parse(second.stdout)).toMatchObject({ error: { code: 'DATA_NOT_USABLE' } });
});

test('start and exec run an initial scenario, and do not start when it fails', async () => {
  using project = new Project();
  project.write(
    'wrong.json',
    JSON.stringify({ name: 'wrong', steps: [{ call: { method: 'GET', path: '/api/public/v1/nothing' } }] }),
  );
  const script = `fetch(process.env.SANDBOX_URL + '/_sandbox/status').then(async (answer) => {
    process.exitCode = (await answer.json()).charges.SETTLED === 1 ? 42 : 1;
  });`;
  const ran = await project.run(['exec', '--scenario', 'paid', '--', process.execPath, '-e', script]);
  expect(ran.exitCode).toBe(42);
  const broken = await project.run(['start', '--port', '0', '--scenario', 'wrong.json', '--data', 'kept']);
  expect(broken.exitCode).toBe(1);
  expect(broken.stderr).toContain('The scenario wrong failed.');
  {
    await using mended = await project.start(['--scenario', 'paid', '--data', 'kept']);
    expect(await project.ask<Status>(['status'])).toMatchObject({ charges: { SETTLED: 1 } });
    await mended.leave();
  }
  {
    await using kept = await project.start(['--scenario', 'paid', '--data', 'kept']);
    expect(kept.stderr.text()).toContain('--scenario is not run again');
    await kept.leave();
  }
  await using _sandbox = await project.start(['--scenario', 'paid']);
  expect(await project.ask<Status>(['status'])).toMatchObject({ charges: { SETTLED: 1 } });
});
