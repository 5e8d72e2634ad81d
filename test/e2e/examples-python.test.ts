import { execa } from 'execa';
import { expect, test } from 'vitest';
import { Example } from '../helpers/e2e/example.js';
import { freePort } from '../helpers/free-port.js';
import { webhookVectors } from '../helpers/signing/vectors.js';

const { exitCode } = await execa('python3', ['--version'], { reject: false });
const hasPython = exitCode === 0;
const WHY = 'There is no python3 here.';

test('the Python receiver passes its tests through exec', async ({ skip }) => {
  skip(!hasPython, WHY);
  using example = new Example('python');
  const port = await freePort();
  // The command of its README, on a port that is free here.
  const command = /^ {4}npx (sandbox exec .*)$/m.exec(example.read('README.md'))?.[1] ?? '';
  const run = await example.run(command.replace('3000', String(port)), { PORT: String(port) });
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Ran 5 tests/m) });
});

test('the Python receiver decides like the signature vectors', async ({ skip }) => {
  skip(!hasPython, WHY);
  using example = new Example('python');
  const program = `
import base64, json, sys
from receiver import is_genuine
for vector in json.load(sys.stdin):
    body = base64.b64decode(vector["body_base64"])
    print(any(is_genuine(body, vector["headers"], secret, vector["now_s"], vector["tolerance_s"]) for secret in vector["secrets"]))
`;
  const vectors = webhookVectors();
  const { stdout } = await execa('python3', ['-c', program], {
    cwd: example.folder,
    input: JSON.stringify(vectors),
  });
  const decided = stdout.split('\n').map((line, index) => [vectors[index]?.name, line === 'True']);
  expect(decided).toEqual(vectors.map(({ name, verdict }) => [name, verdict === 'accept']));
});
