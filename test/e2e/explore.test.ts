import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { tries } from '../helpers/soak-scale.js';

/** A suite with its application, which credits an order when its charge is settled. MISTAKE plants a mistake in one of them. */
const SUITE = `
  const { createHmac } = require('node:crypto');
  const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
  const { createServer } = require('node:http');
  const { MISTAKE, PORT, SANDBOX_URL, SANDBOX_WEBHOOK_SECRET } = process.env;
  const key = Buffer.from(SANDBOX_WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const seen = new Set();
  let credits = 0;
  const application = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = request.headers;
    const right = createHmac('sha256', key).update(id + '.' + at + '.' + body).digest('base64');
    if (!signatures.split(' ').includes('v1,' + right)) return response.writeHead(400).end();
    const isNew = MISTAKE === 'no deduplication' || MISTAKE === 'seen by the probe' || !seen.has(id);
    if (isNew && JSON.parse(body).type === 'pix.settled') credits += 1;
    seen.add(id);
    response.end();
  });
  const post = (path, body) =>
    fetch(SANDBOX_URL + '/_sandbox/' + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  application.listen(PORT, '127.0.0.1', async () => {
    await post('charges', { code: 'order-1', amount: '10.00' });
    await post('charges/order-1/settle', {});
    await fetch(SANDBOX_URL + '/_sandbox/idle?timeout=10s');
    appendFileSync('runs.txt', 'x');
    const isBad = MISTAKE === 'always red' || (MISTAKE === 'sometimes red' && readFileSync('runs.txt').length === 2);
    writeFileSync('order-1.json', JSON.stringify({ credits }));
    if (MISTAKE === 'seen by the probe' || (credits === 1 && !isBad)) process.exit(0);
    console.log('not ok 1 - credits the order once');
    process.exit(3);
  });`;

const COMMAND = ['--forward-to', '{port}/webhooks', '--', process.execPath, 'suite.cjs'];

function planted(mistake: string) {
  const project = new Project();
  project.write('suite.cjs', SUITE);
  const env = { MISTAKE: mistake };
  return {
    project,
    run: (...words: string[]) => project.run([...words, ...COMMAND], { env }),
    again: (line: string) => project.run(line.replace('npx sandbox ', '').split(' '), { env }),
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

// Most of the time they wait for the processes that they start.
describe.concurrent('explore', () => {
  test('finds what a suite never met, and the printed command reproduces it', async () => {
    using shop = planted('no deduplication');
    const fault = (action: string) => ({ action, event: 'pix.settled', code: 'order-1', nth: 1 });
    shop.project.write('day.json', JSON.stringify([fault('unknown-type'), fault('duplicate')]));
    const given = ['--only', 'day.json', '--out', 'results'];
    const { stdout, stderr, exitCode } = await shop.run('explore', ...given, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    const { findings, planned, run, missed, not_run } = JSON.parse(stdout) as {
      readonly planned: number;
      readonly run: number;
      readonly missed: readonly object[];
      readonly not_run: readonly object[];
      readonly findings: readonly {
        readonly words: readonly string[];
        readonly failure: { readonly name: string };
        readonly confirmed: string;
        readonly file: string;
        readonly repeat: string;
      }[];
    };
    expect(run + missed.length + not_run.length).toBe(planned);
    const [first] = findings;
    expect(first).toMatchObject({
      words: ['pix.settled of order-1 is delivered twice'],
      failure: { name: 'credits the order once' },
      confirmed: '3/3',
      file: 'results/faults-1.json',
      repeat: `npx sandbox exec --faults results/faults-1.json ${COMMAND.join(' ').replace('{port}', "'{port}").replace('webhooks', "webhooks'")}`,
    });
    const saved = readFileSync(join(shop.project.folder, 'results/faults-1.json'), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ faults: [{ action: 'duplicate', code: 'order-1' }] });
    const repeated = await shop.again((first?.repeat ?? '').replaceAll("'", ''));
    expect(repeated).toMatchObject({ exitCode: 3, stdout: 'not ok 1 - credits the order once' });
    expect(repeated.stderr).toContain('fired pix.settled of order-1 is delivered twice');
  });

  test('finds what only the probe sees', async () => {
    using shop = planted('seen by the probe');
    shop.project.write('day.json', '[{"action":"duplicate","event":"pix.settled"}]');
    const given = ['--only', 'day.json', '--probe', 'cat {code}.json'];
    const { stdout, exitCode } = await shop.run('explore', ...given, '--json');
    expect({ exitCode, ...(JSON.parse(stdout) as object) }).toMatchObject({
      exitCode: 1,
      findings: [
        {
          failure: { category: 'invariant', name: 'settled payments are known to the application' },
          repeat: expect.stringMatching(/ explore --only day\.json --probe 'cat \{code\}\.json' /),
        },
      ],
    });
  });

  test('exits with 4 when a hanging suite spends the budget', async () => {
    using project = new Project();
    const command = `"${process.execPath}" -e 'setInterval(() => {}, 1e6)'`;
    project.write('sandbox.config.json', JSON.stringify({ 'explore.command': command }));
    expect(await project.run(['explore', '--budget', '100ms'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(
        /using explore\.command.*The budget ran out in run 1 of 3 without faults.*--budget/s,
      ),
    });
  });

  const RED = ['always red', /fails without faults in each run.*not ok 1 - credits the order once/s] as const;
  const FLAKY = ['sometimes red', /fails without faults in 1 of 3 runs.*flaky/s] as const;

  test.each(tries({ part: [FLAKY], whole: [RED, FLAKY] }))(
    'rejects a suite that is %s without faults, with the reason',
    async (mistake, said) => {
      using shop = planted(mistake);
      expect(await shop.run('explore')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(said),
      });
    },
  );

  test('prints at the end of exec which faults of a directory fired, and which did not', async () => {
    using shop = planted('none');
    mkdirSync(join(shop.project.folder, 'results'));
    shop.project.write('results/faults-1.json', '[{"action":"duplicate"}]');
    shop.project.write('results/faults-2.json', '[{"action":"duplicate","code":"another"}]');
    expect(await shop.run('exec', '--faults', 'results')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^fired an event is delivered twice\nnot fired an event of another is delivered twice$/m,
      ),
    });
  });
});
