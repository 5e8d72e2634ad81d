import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeRunFile } from '../../../src/client/run-file.js';
import { runLine, startLine } from '../../helpers/cli/cli-line.js';
import { asUser, giveAway, NOT_OWNER } from '../../helpers/another-user.js';
import { tempFolder } from '../../helpers/temp-folder.js';

test('names a run file directory of another user, with the fix', async () => {
  using folder = tempFolder();
  const directory = join(folder.path, 'pix-sandbox');
  mkdirSync(directory);
  giveAway(directory);
  const { uid } = statSync(directory);
  using _ = asUser(NOT_OWNER);
  const options = { env: { XDG_STATE_HOME: folder.path }, cwd: folder.path };
  const reason = `${directory} belongs to another user (uid ${uid})`;
  for (const line of ['status', 'stop']) {
    expect(await runLine(line, options)).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `error No sandbox was found for ${folder.path}: ${reason}, so its run files are ignored.\nhint  Change the owner, choose another directory with XDG_STATE_HOME, or pass the sandbox URL with --url.\n`,
    });
  }
  expect(await runLine('start --detach', options)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`The log of a background sandbox cannot be written: ${reason}.`),
  });
  const running = startLine('start --port 0', options);
  await running.said(`Other commands cannot find this sandbox automatically: ${reason}.`);
  running.stop();
  await running.exitCode;
});

test('names up to three other sandboxes if the project has none', async () => {
  using folder = tempFolder();
  const env = { XDG_STATE_HOME: folder.path };
  const none = await runLine('status', { env, cwd: folder.path });
  expect(none).toMatchObject({
    exitCode: 3,
    stderr: `error No sandbox is running for ${folder.path}.\nhint  Start one with \`npx sandbox start\`.\n`,
  });
  for (const port of [1, 2, 3, 4]) {
    const url = `http://127.0.0.1:${port}`;
    writeRunFile({ url, pid: 1, instance_id: url, folder: '/other', version: '1' }, env);
  }
  const { stderr } = await runLine('status', { env, cwd: folder.path });
  expect(stderr.match(/http:\/\/127\.0\.0\.1:\d \(\/other\)/g)).toHaveLength(3);
  expect(stderr).toContain('Other sandboxes were started at ');
});
