import { describe, expect, test } from 'vitest';
import { needsPort } from '../../../../src/cli/commands/explore/child.js';
import { checkExploreOptions } from '../../../../src/cli/commands/explore/explore.js';
import { exploreDeclaration } from '../../../../src/cli/declarations/tests.js';
import { CliError } from '../../../../src/cli/program/errors.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const WORDS = ['npm', 'test'];

function invocation(given: Readonly<Record<string, unknown>> = {}, command = WORDS) {
  return {
    args: { command },
    options: { ...readOptions(exploreDeclaration.options, given), url: undefined },
  };
}

function hasPort(given?: Readonly<Record<string, unknown>>, command?: string[]) {
  return needsPort(invocation(given, command));
}

async function refused(
  given: Readonly<Record<string, unknown>>,
  { args = WORDS, cwd = '/nowhere' }: { readonly args?: readonly string[]; readonly cwd?: string } = {},
): Promise<string> {
  const error = await rejectionOf(runBody('explore', { options: given, args, cwd }), CliError);
  expect(error.exitCode).toBe(2);
  return `${error.message} ${error.hint}`;
}

describe('the plan of explore', () => {
  test('the plan of explore has its own port if requested, or if several run concurrently', () => {
    expect(hasPort()).toBe(false);
    expect(hasPort({ forwardTo: ['3000/webhooks'] })).toBe(false);
    expect(hasPort({ forwardTo: ['pix.*={port}/webhooks'] })).toBe(true);
    expect(hasPort({ probe: 'curl localhost:{port}/{code}' })).toBe(true);
    expect(hasPort({ restart: 'restart {port}' })).toBe(true);
    expect(hasPort({}, ['npm', 'test', '--', '--port={port}'])).toBe(true);
    expect(hasPort({ jobs: '2' })).toBe(true);
  });

  test('the plan of explore is rejected before anything runs', async () => {
    expect(await refused({}, { args: [] })).toMatch(
      /requires a command.* explore -- npm test.* explore\.command in sandbox/,
    );
    expect(await refused({ probe: 'cat orders.json' })).toMatch(/\{code\} or \{id\}; got cat orders\.json/);
    expect(() => checkExploreOptions(invocation({ probe: 'cat "$SANDBOX_CODE"' }))).not.toThrow();
    expect(await refused({ forwardTo: ['nonsense at all'] })).toContain('--forward-to must be a port');
    expect(await refused({ jobs: '2', forwardTo: ['3000/webhooks'] })).toMatch(
      /--forward-to 3000\/webhooks is the same for all runs.*\{port\}\/webhooks/,
    );
    expect(await refused({ jobs: '0' })).toContain('--jobs must be a positive integer');
    expect(await refused({ pairs: '-1' })).toContain('--pairs must be a number from 0 to 10000; got -1');
    expect(await refused({ pairs: '10001' })).toContain('got 10001');
    expect(await refused({ faults: 'promissed' })).toContain('promised');
    expect(await refused({ budget: 'soon' })).toContain('--budget must be a duration');
    using folder = tempFolder();
    expect(await refused({ kycDelay: '2s' }, { cwd: folder.path })).toContain(
      '--kyc-delay requires --kyc-auto',
    );
  });

  test('leaves existing results unchanged', async () => {
    using folder = tempFolder();
    const cwd = folder.path;
    folder.write('mine.json', '{"mine": true}');
    for (const out of ['mine.json', '.'])
      expect(await refused({ out }, { cwd })).toMatch(/ exists and is not an empty directory\. .*--out/);
    expect(folder.read('mine.json').toString()).toBe('{"mine": true}');
    expect(await refused({ out: 'mine.json/day' }, { cwd })).toMatch(/Cannot write mine\.json\/day.*--out/);
    expect(await refused({ out: 'day.json', junit: 'none/report.xml' }, { cwd })).toContain(
      'none/report.xml',
    );
    expect(await refused({ only: 'missing.json' }, { cwd })).toContain('Cannot read missing.json');
  });
});
