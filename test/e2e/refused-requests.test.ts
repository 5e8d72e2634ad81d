import { expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';

const PATH = '/api/public/v1/pix';

test('the terminal, calls list and logs show what was received for a charge without a content type', async () => {
  using project = new Project();
  await using sandbox = project.spawn(['start', '--port', '0']);
  const [, url] = /(http:\/\/\S+)$/m.exec(await sandbox.stdout.next('is ready at')) ?? [];
  const response = await fetch(`${url}${PATH}`, { method: 'POST', body: '{"amount":"10.00"}' });
  expect(response.status).toBe(415);
  const problem =
    'The request body requires Content-Type: application/json; received "text/plain;charset=UTF-8".';
  expect(await sandbox.stderr.next('415')).toMatch(
    new RegExp(String.raw`^\d\d:\d\d:\d\d 415 POST ${PATH} UNSUPPORTED_MEDIA_TYPE$`),
  );
  expect(await sandbox.stderr.next('Content-Type')).toContain(problem);
  expect(await sandbox.stderr.next('hint')).toContain('Send the header Content-Type: application/json.');

  const { stdout: list } = await project.run(['calls', 'list']);
  expect(list).toMatch(/415 +POST +\/api\/public\/v1\/pix +UNSUPPORTED_MEDIA_TYPE/);
  const { stdout: logs } = await project.run(['logs', '--failed']);
  expect(logs).toContain(problem);
  const { stdout: timeline } = await project.run(['logs']);
  expect(timeline).toMatch(new RegExp(`POST ${PATH} +415 UNSUPPORTED_MEDIA_TYPE`));
  const call = /req_[0-9a-f]+/.exec((await project.run(['calls', 'list', '--json'])).stdout)?.[0] ?? '';
  const { stdout: shown } = await project.run(['calls', 'show', call]);
  expect(shown).toContain('content-type: text/plain;charset=UTF-8');
  expect(shown).toContain('0 of 18 bytes of the body are stored');
});
