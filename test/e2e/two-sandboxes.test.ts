import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunningSandbox } from '../helpers/e2e/e2e.js';
import { Project } from '../helpers/e2e/e2e.js';

const place = ({ url, ready }: RunningSandbox) => `${url} (pid ${ready.pid})`;

function runFiles({ stateHome }: Project): string[] {
  const folder = join(stateHome, 'pix-sandbox');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
}

describe('a second start in a folder', () => {
  test('says so; status lists both, and stop falls back to the first', async () => {
    using project = new Project();
    await using first = await project.start();
    await using second = await project.start();
    expect(await second.stderr.next('warning')).toContain(`has another sandbox at ${place(first)}. Commands`);
    expect((await project.run(['status'])).stdout).toMatch(
      new RegExp(`^sandbox +${second.url} [^\\n]+\\nanother +${first.url} \\(pid ${first.pid}\\)\\n`),
    );
    expect(await project.ask(['status', '--url', first.url])).toMatchObject({
      others: [{ url: second.url, pid: second.pid }],
    });
    const stopped = await project.run(['stop']);
    expect(stopped.stdout).toBe(`The sandbox at ${place(second)} has stopped.`);
    expect(stopped.stderr).toContain(`has another sandbox at ${place(first)}`);
    expect(await project.ask(['status'])).toMatchObject({ url: first.url });
    expect(await project.ask(['stop'])).toMatchObject({ url: first.url });
    expect((await project.run(['stop'])).exitCode).toBe(3);
    expect(first.stderr.text()).toBe('');
  });

  test('may come at the same time; none is hidden', async () => {
    using project = new Project();
    const [first, second] = await Promise.all([project.start(), project.start()]);
    await using _first = first;
    await using _second = second;
    const stop = () => project.ask<{ url: string }>(['stop']);
    const stopped = [await stop(), await stop()];
    expect(new Set(stopped.map(({ url }) => url))).toEqual(new Set([first.url, second.url]));
    const said = await Promise.all([first.ended(), second.ended()]);
    expect(said.map(({ stderr }) => stderr).join('')).toContain('This project has another sandbox at');
    expect(runFiles(project)).toEqual([]);
  });

  test('says nothing of one that crashed, and removes its file', async () => {
    using project = new Project();
    await using crashed = await project.start();
    crashed.signal('SIGKILL');
    await crashed.ended();
    expect(runFiles(project)).toHaveLength(1);
    await using sandbox = await project.start();
    expect(await project.ask(['status'])).not.toHaveProperty('others');
    expect(await project.ask(['stop'])).toMatchObject({ url: sandbox.url });
    expect(await sandbox.ended()).toMatchObject({ stderr: '' });
    expect(runFiles(project)).toEqual([]);
  });
});
