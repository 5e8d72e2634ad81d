import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crash } from '../helpers/store/crash.js';
import { Project } from '../helpers/e2e/e2e.js';
import { tries } from '../helpers/whole.js';

const SEED = Math.floor(Math.random() * 1_000_000);
const RACERS = tries({ part: 4, whole: 8 });

test(`a sandbox that is killed 8 times forgets nothing that it acknowledged (seed ${SEED})`, async () => {
  using project = new Project();
  const result = await crash(project, { crashes: 8, seed: SEED });
  expect(result.lost).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(40);
  expect(Math.min(result.received, result.inTheMiddle)).toBeGreaterThan(2);
});

test('of many that start on one directory one owns it, also after its owner was killed', async () => {
  using project = new Project();
  const data = join(project.folder, 'data');
  const folders = Array.from({ length: RACERS }, (_, index) => project.newFolder(`racer-${index}`));
  for (let round = 0; round < 2; round += 1) {
    const racers = folders.map((cwd) =>
      project.spawn(['start', '--json', '--port', '0', '--data', data], { cwd }),
    );
    const outcomes = await Promise.all(
      racers.map((racer) =>
        racer.stdout.nextJson('ready').then(
          () => 'owner' as const,
          () => racer.ended(),
        ),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome !== 'owner');
    for (const { exitCode, stdout } of refused) {
      expect(exitCode).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        error: { code: 'DATA_NOT_USABLE', message: expect.stringMatching(/process \d+ on this host/) },
      });
    }
    for (const racer of racers) racer.signal('SIGKILL');
    await Promise.all(racers.map((racer) => racer.ended()));
    expect(refused).toHaveLength(RACERS - 1);
  }
});
