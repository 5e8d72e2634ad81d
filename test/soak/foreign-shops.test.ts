import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CACHE_HOME, Project } from '../helpers/e2e/e2e.js';

const FOLDER = join(import.meta.dirname, 'shops');

/** An entry of `shops/expected.json`, written before `explore` was first run on the shop. */
interface ExpectedShop {
  readonly about: string;
  /** A command that succeeds where the language is installed. */
  readonly needs: readonly [string, ...string[]];
  readonly options: readonly string[];
  readonly command: readonly string[];
  readonly exit: number;
  /** At least these, as regular expressions; none means that nothing at all may be found. */
  readonly findings: readonly { readonly kind: string; readonly fix: string }[];
}

interface Fault {
  readonly action: string;
  readonly parallel?: boolean;
}

interface Finding {
  readonly faults: readonly Fault[];
  readonly fix?: string;
}

interface Report {
  readonly findings: readonly Finding[];
  readonly flaky: readonly Finding[];
}

const SHOPS = JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8')) as Record<string, ExpectedShop>;

function isInstalled([program, ...args]: ExpectedShop['needs']): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function isFound({ findings }: Report, { kind, fix }: ExpectedShop['findings'][number]): boolean {
  return findings.some(({ faults: [fault, ...others], fix: found = '' }) => {
    if (fault === undefined || others.length > 0) return false;
    const name = fault.parallel ? `parallel ${fault.action}` : fault.action;
    return new RegExp(kind).test(name) && new RegExp(fix).test(found);
  });
}

describe('third-party shops', () => {
  for (const [name, shop] of Object.entries(SHOPS)) {
    const { about, needs, options, command, exit, findings } = shop;
    test.runIf(isInstalled(needs))(
      `${name} has the expected explore report (needs ${needs[0]}), ${about}`,
      async () => {
        using project = new Project();
        const out = join(project.folder, 'found');
        const { exitCode, stdout, stderr } = await project.run(
          ['explore', ...options, '--out', out, '--json', '--', ...command],
          {
            cwd: join(FOLDER, name),
            env: { GOCACHE: join(CACHE_HOME, 'go-build'), PYTHONDONTWRITEBYTECODE: '1' },
          },
        );
        if (exitCode !== 0 && exitCode !== 1)
          throw new Error(`explore ended with ${exitCode}: ${stderr}${stdout}`);
        const report = JSON.parse(stdout) as Report;
        const reported = [...report.findings, ...report.flaky];
        const missing = findings.filter((finding) => !isFound(report, finding));
        const surplus = findings.length === 0 ? reported : [];
        const shown = { exit: exitCode, missing, surplus, stdout: missing.length > 0 ? stdout : '' };
        expect(shown).toEqual({ exit, missing: [], surplus: [], stdout: '' });
      },
    );
  }
});
