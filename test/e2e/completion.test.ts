import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, CACHE_HOME, Project } from '../helpers/e2e/e2e.js';
import { Shell } from '../helpers/cli/shell.js';

const PROMPT = 'ready> ';
const CLEAR_LINE = '\u0015';

/** How to begin each shell with nobody's settings, and how to load the completion into it. */
const SHELLS = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    setUp: `before() { COMPREPLY=(vitest); }; complete -F before npx; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; PS1='${PROMPT}'; source <(sandbox completion bash)`,
    /** TAB as often as it takes to see a list. */
    list: '\t\t',
  },
  zsh: {
    args: ['-f', '-i'],
    setUp: `unsetopt zle_bracketed_paste beep; PS1='${PROMPT}'; autoload -Uz compinit; compinit -D -u; source <(sandbox completion zsh)`,
    list: '\t',
  },
  fish: {
    args: ['--no-config', '-i'],
    setUp: `function fish_prompt; echo -n '${PROMPT}'; end; sandbox completion fish | source`,
    list: '\t',
  },
} as const;

/** Why a shell cannot be tried here; undefined where it can. */
function missing(shell: keyof typeof SHELLS): string | undefined {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `there is no ${shell} on this machine`;
  }
}

/** A shell in a project, with `sandbox` on its path and its completion loaded. */
async function shellIn(project: Project, name: keyof typeof SHELLS): Promise<Shell> {
  const bin = join(project.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const command of ['sandbox', 'pix-sandbox']) {
    const path = join(bin, command);
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    chmodSync(path, 0o755);
  }
  const { args, setUp } = SHELLS[name];
  const shell = new Shell(name, args, {
    cwd: project.folder,
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: project.folder,
      LANG: 'C.UTF-8',
      XDG_STATE_HOME: project.stateHome,
      XDG_CACHE_HOME: CACHE_HOME,
    },
  });
  // The word is put together by the shell, so that its echo is not taken for its output.
  shell.type(`${setUp}; echo set''up\r`);
  await shell.shows('setup');
  await shell.shows(PROMPT);
  return shell;
}

test.for(Object.keys(SHELLS) as (keyof typeof SHELLS)[])(
  'completes at a TAB in %s',
  async (name, { skip }) => {
    const reason = missing(name);
    skip(reason !== undefined, reason);
    using project = new Project();
    await using _sandbox = await project.start();
    await project.json(['charges', 'create', '--code', 'order-$(boom)']);
    project.write('body.json', '{}');
    mkdirSync(join(project.folder, 'kept-data'));
    using shell = await shellIn(project, name);

    shell.type(`sandbox trigger pix.${SHELLS[name].list}`);
    const list = await shell.shows(/(?:pix\.(?:settled|failed|expired)\s[^]*){3}/);
    for (const event of ['pix.settled', 'pix.failed', 'pix.expired']) expect(list).toContain(event);

    // A code is a word of the line, whatever characters it has.
    shell.type(`${CLEAR_LINE}sandbox charges show ord\t`);
    await shell.shows(/boom/);
    shell.type('\r');
    await shell.shows(/charge +order-\$\(boom\)/);

    for (const [typed, wanted] of [
      ['sandbox tri', 'sandbox trigger '],
      ['sandbox deliveries list --status=FA', '--status=FAILED '],
      ['sandbox start --assume endpoint.sig', 'endpoint.signature='],
      ['sandbox start --assume endpoint.signature=req', 'endpoint.signature=required '],
      ['sandbox verify --headers=bo', '--headers=body.json '],
      ['sandbox start --data kep', '--data kept-data/'],
      ["sandbox listen --events 'withdrawal.se", "--events 'withdrawal.settled'"],
      ['true; pix-sandbox assu', 'pix-sandbox assumptions '],
    ] as const) {
      shell.type(`${CLEAR_LINE}${typed}\t`);
      expect(await shell.shows(wanted)).toContain(wanted);
    }

    // After npx, the package of a folder above is asked, and the completion of other programs remains.
    const bin = join(project.folder, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(BIN, join(bin, 'pix-sandbox'));
    mkdirSync(join(project.folder, 'src'));
    shell.type(`${CLEAR_LINE}cd src\r`);
    await shell.shows(PROMPT);
    shell.type('npx sandbox deliveries list --status FA\t');
    await shell.shows('npx sandbox deliveries list --status FAILED ');
    shell.type(`${CLEAR_LINE}npx pix-sandbox tri\t`);
    await shell.shows('npx pix-sandbox trigger ');
    if (name !== 'bash') return;
    shell.type(`${CLEAR_LINE}npx vi\t`);
    await shell.shows('npx vitest ');
  },
);

test('__complete prints nothing and ends immediately without a running sandbox', async () => {
  using project = new Project();
  for (const words of [['fish', 'charges', 'show', ''], ['fish', 'nope', ''], ['tcsh'], []]) {
    const { exitCode, stdout, stderr } = await project.run(['__complete', ...words]);
    expect({ exitCode, stderr, isSilent: /^(?:values)?$/.test(stdout) }).toEqual({
      exitCode: 0,
      stderr: '',
      isSilent: true,
    });
  }
});
