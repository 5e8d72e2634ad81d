import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { watchSandbox } from '../../../../src/cli/commands/exec/findings.js';
import { annotateForCi } from '../../../../src/cli/terminal/text.js';
import { judgeExec, printVerdict } from '../../../../src/cli/commands/exec/verdict.js';
import { FAIL_ON } from '../../../../src/config/settings.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { turns } from '../../../helpers/delivery/attempts.js';
import { TestListener, settle, startSandbox } from '../../../helpers/sandbox/sandbox.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const ENDED = { commandExitCode: 0, isIdle: true, endedAt: Infinity, failOn: [], allowsUnused: false };

describe('an unused sandbox', () => {
  const verdictOn = (ended: Partial<Parameters<typeof judgeExec>[1]>) => {
    const { exitCode, findings, warnings } = judgeExec(watchSandbox(startSandbox(), []), {
      ...ENDED,
      ...ended,
    });
    return [exitCode, findings.map(({ kind }) => kind), warnings.map(({ kind }) => kind)];
  };

  test('an unused sandbox is a warning, and with any --fail-on a failure, unless allowed', () => {
    expect(verdictOn({})).toEqual([0, [], ['unused']]);
    expect(verdictOn({ failOn: ['ledger'] })).toEqual([1, ['unused'], []]);
    expect(verdictOn({ failOn: FAIL_ON })).toEqual([1, ['unused'], []]);
    expect(verdictOn({ failOn: FAIL_ON, allowsUnused: true })).toEqual([0, [], ['unused']]);
  });

  test('an unused sandbox is not mentioned if the command failed', () => {
    expect(verdictOn({ commandExitCode: 3, failOn: FAIL_ON })).toEqual([3, [], []]);
  });
});

describe('a verdict', () => {
  /** The verdict on a command whose receiver takes everything but the second event, and what is printed about it. */
  async function reported(env: Readonly<Record<string, string>>, cwd = '/', columns = 0) {
    const sandbox = startSandbox();
    const watched = watchSandbox(sandbox, FAIL_ON);
    const listener = new TestListener(sandbox, {
      status: () => (listener.received.length === 3 ? 500 : 200),
    });
    for (const _event of [1, 2]) {
      settle(sandbox);
      await turns();
    }
    const verdict = judgeExec(watched, { ...ENDED, failOn: FAIL_ON });
    const printed = fakeIo({ env, cwd, columns });
    printVerdict(printed.io, verdict, false);
    return { verdict, stderr: printed.stderr() };
  }

  test('counts the deliveries, then names each problem, also as an annotation', async () => {
    const { stderr } = await reported({ GITHUB_ACTIONS: 'true' });
    expect(stderr.split('\n')).toEqual([
      'Deliveries at the end: 1 DELIVERED, 1 PENDING.',
      expect.stringMatching(
        /^undelivered pix\.settled .* is PENDING .*HTTP_STATUS 500\. The application failed .*\.$/,
      ),
      expect.stringMatching(/^::error title=pix-sandbox undelivered::pix\.settled/),
      expect.stringMatching(/^unverified https:.* accepted a forged pix\.settled /),
      expect.stringMatching(/^::error title=pix-sandbox unverified::https:/),
      '',
    ]);
  });

  test('breaks no word on a terminal', async () => {
    const [whole, wrapped] = await Promise.all([reported({}), reported({}, '/', 80)]);
    const lines = wrapped.stderr.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join(' ')).toBe(whole.stderr.replaceAll('\n', ' '));
  });

  test('a verdict is appended to the summary of the job, as Markdown', async () => {
    using folder = tempFolder();
    folder.write('summary.md', 'before\n');
    const { stderr } = await reported({ GITHUB_STEP_SUMMARY: 'summary.md' }, folder.path);
    expect(stderr).not.toContain('::error');
    expect(folder.read('summary.md').toString()).toMatchInlineSnapshot(`
      "before
      ### pix-sandbox exec failed

      The command exited with 0; exec exited with 1.

      | Deliveries at the end | |
      |---|---|
      | DELIVERED | 1 |
      | PENDING | 1 |

      - **undelivered**: pix.settled of charge-2 is PENDING (https://listener.listen.sandbox.localhost/) after 1 attempt: HTTP\\_STATUS 500. The application failed on a valid webhook (500). Most likely, the handler throws an uncaught error (find it in the application’s log).
      - **unverified**: https://listener.listen.sandbox.localhost/ accepted a forged pix.settled (wrong signature, new webhook-id) with 200. Verify the signature over the raw body before anything else, and respond with 400 if it is invalid.

      "
    `);
  });

  test('a verdict is printed even if the summary cannot be written', async () => {
    using folder = tempFolder();
    const { stderr } = await reported({ GITHUB_STEP_SUMMARY: 'missing/summary.md' }, folder.path);
    expect(stderr).toMatch(/^unverified /m);
    expect(stderr).toMatch(/^Cannot write the summary to GITHUB_STEP_SUMMARY: ENOENT/m);
  });

  test('warns on GitHub of an unused sandbox', () => {
    const printed = fakeIo({ env: { GITHUB_ACTIONS: 'true' } });
    printVerdict(printed.io, judgeExec(watchSandbox(startSandbox(), []), ENDED), false);
    expect(printed.stderr()).toMatch(
      /^warning The command succeeded, but nothing used .*\n::warning title=pix-sandbox unused::The command succeeded/,
    );
  });
});

function annotated(title: string, message: string): string {
  const { io, stderr } = fakeIo({ env: { GITHUB_ACTIONS: 'true' } });
  annotateForCi(io, title, message);
  return stderr();
}

test('prints any text as one line from which GitHub reads the same', () => {
  const anything = fc.string({ unit: fc.constantFrom('%', '2', '5', '\r', '\n', ':', ',', 'A', '3', '=') });
  fc.assert(
    fc.property(anything, anything, (title, message) => {
      const line = annotated(title, message).slice(0, -1);
      expect(line).not.toMatch(/[\r\n]/);
      const [, shownTitle = '', shownMessage = ''] =
        /^::error title=pix-sandbox ([^:,]*)::(.*)$/.exec(line) ?? [];
      expect([decodeURIComponent(shownTitle), decodeURIComponent(shownMessage)]).toEqual([title, message]);
    }),
  );
});
