import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../helpers/cli/commands.js';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { measureWidth } from '../../src/cli/terminal/text.js';
import type { FakeIoOptions, Ran } from '../helpers/cli/cli-io.js';
import { runLine, wordsOf } from '../helpers/cli/cli-line.js';
import { App } from '../helpers/e2e/e2e-app.js';
import { Project } from '../helpers/e2e/e2e.js';
import { ExampleStage } from '../helpers/openapi/example-stage.js';
import { freePort } from '../helpers/free-port.js';
import { Relay } from '../helpers/tunnel/relay.js';

/** Examples that run until they are stopped, with what they say when they are at work. */
const LASTING: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/^listen .*--tunnel/, 'Ready. Register'],
  [/^listen /, 'Ready. Forwarding'],
  [/^logs --follow/, ''],
];
/** Examples that start or end processes: these are run by the built binary. */
const PROCESSES = /^(?:start|stop|exec|explore)\b/;
/** Examples that ask a receiver. */
const RECEIVED = /^check --forward-to /;
/** Examples that need another implementation or a client: parity.test.ts and mcp.test.ts run them. */
const REMOTE = /^(?:parity probe|mcp)\b/;
/** Commands that print what is meant for programs, which is never broken or colored: scripts, files, values. */
const VERBATIM = /^(?:env|completion|fixtures show|state export|config --schema|sign )/;
/** What may be wider than a terminal where it stands alone on a line, perhaps behind its name: it is there to be copied. */
const COPIED = /^(?:[a-z ]{1,12} {2,})?(?:(?:npx sandbox|eval|curl) .+|\S+)$|^000201/;
const ESCAPE = '\u001b';

const examples = COMMANDS.flatMap(({ name, examples: all }) =>
  all.map((example) => ({ name, line: `${name} ${example}`.trimEnd() })),
);
const inProcess = examples.filter(
  ({ line }) =>
    !PROCESSES.test(line) && !RECEIVED.test(line) && !REMOTE.test(line) && lastingWord(line) === undefined,
);
/** The first example of each command that ends, without `--json`. */
const firsts = inProcess.filter(
  ({ name, line }) =>
    line === inProcess.find((each) => each.name === name && !each.line.includes('--json'))?.line,
);

function lastingWord(line: string): string | undefined {
  return LASTING.find(([pattern]) => pattern.test(line))?.[1];
}

const { token, signingSecret, webhookSecret, kycToken } = WELL_KNOWN_CREDENTIALS;
const SECRETS = [token, signingSecret, webhookSecret, kycToken];
/** The commands that have shown a secret. */
const showing = new Set<string>();

let stage: ExampleStage;

beforeAll(async () => {
  stage = await ExampleStage.open();
});

afterAll(() => stage[Symbol.asyncDispose]());

/** Runs an example in a sandbox that is as the example expects it. */
async function run(
  { name, line }: { name: string; line: string },
  options: FakeIoOptions = {},
): Promise<Ran> {
  await stage.before(name);
  // The timeline outlasts what comes before each run, so only its end is the same.
  const ran = await stage.run(line === 'logs' ? 'logs --limit 1' : line, options);
  if (SECRETS.some((secret) => `${ran.stdout}${ran.stderr}`.includes(secret))) showing.add(name);
  return ran;
}

/** Numbers, ids, signatures and the spaces that go with them differ from run to run. */
function steady(text: string): string {
  return text
    .replaceAll(/[\w+/=-]*\d[\w+/=:.-]*/g, '#')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/#(?: #)+/g, '#');
}

function tooWide({ stdout, stderr }: Ran): string[] {
  const lines = stripVTControlCharacters(`${stdout}${stderr}`).split('\n');
  return lines.filter((line) => measureWidth(line) > 80 && !COPIED.test(line.trim()));
}

/** Lines that end where something was cut; shortened ids are no such thing. */
function cutLines(stdout: string): string[] {
  return stdout
    .replaceAll(/kyc_\w+…/g, '')
    .split('\n')
    .filter((line) => line.endsWith('…'));
}

/** What differs between two runs. */
function changedWords(a: Ran, b: Ran): string[] {
  return steady(a.stdout) === steady(b.stdout) ? [] : [a.stdout, b.stdout];
}

/** What is wrong with what a command printed under `--json`: each line is an object, and the first of several says that it is ready. */
function jsonProblem(stdout: string): string | undefined {
  const lines = stdout.trimEnd().split('\n');
  if (lines.length > 1 && !lines[0]?.startsWith('{"type":"ready"'))
    return `The first line is not ready: ${lines[0]}`;
  return lines.find((line) => !line.startsWith('{') || typeof JSON.parse(line) !== 'object');
}

/** The same for an example, which may print text. */
function problemOf({ line }: { line: string }, stdout: string): string | undefined {
  return line.includes('--json') && stdout !== '' ? jsonProblem(stdout) : undefined;
}

test('every command has two examples', () => {
  expect(COMMANDS.filter((spec) => spec.examples.length < 2).map(({ name }) => name)).toEqual([]);
});

describe('an example that ends', () => {
  test.each(inProcess.map((each) => [each.line, each] as const))(
    'runs as documented: %s',
    async (_, each) => {
      const { stdout, stderr, exitCode } = await run(each);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringMatching(/^error/m) });
      expect(stdout.trim()).not.toBe('');
      expect(`${stdout}${stderr}`).not.toContain(ESCAPE);
      expect(problemOf(each, stdout)).toBeUndefined();
      expect(each.line.includes('--json') ? [] : cutLines(stdout)).toEqual([]);
    },
  );
});

describe('a long-running example', () => {
  const lasting = examples.filter(({ line }) => lastingWord(line) !== undefined);
  test.each(lasting.map(({ line, name }) => [line, name] as const))(
    'runs as documented: %s',
    async (line, name) => {
      await stage.before(name);
      await using relay = await Relay.start();
      const env = { ...stage.env, SANDBOX_TUNNEL_HOST: relay.url };
      const running = stage.start(line, { env });
      await running.said(lastingWord(line) ?? '');
      running.stop();
      expect({ exitCode: await running.exitCode, line }).toEqual({ exitCode: 130, line });
      expect(running.stderr()).not.toMatch(/^error/m);
      expect(problemOf({ line }, running.stdout())).toBeUndefined();
    },
  );
});

describe('an example that contacts a missing receiver', () => {
  test.each(examples.filter(({ line }) => RECEIVED.test(line)))('reports it: $line', async ({ line }) => {
    const { exitCode, stderr } = await stage.run(`${line.replaceAll('3000', '9')} --wait 1ms`);
    expect({ exitCode, line }).toEqual({ exitCode: 1, line });
    expect(stderr).toContain('Nothing is listening on localhost:9');
  });
});

/** A test suite in which an event is delivered, where something receives. */
const SUITE = `
  const body = '{"type":"pix.settled"}';
  await fetch(process.env.SANDBOX_URL + '/_sandbox/trigger', { method: 'POST', body, headers: { 'content-type': 'application/json' } });`;

describe('examples of processes', () => {
  const of = (name: string) => examples.filter((each) => each.name === name).map(({ line }) => wordsOf(line));

  test('examples start and stop a sandbox', async () => {
    using project = new Project();
    const stops = of('stop');
    for (const [index, words] of of('start')
      .filter((words) => !words.includes('--detach'))
      .entries()) {
      const env = { SANDBOX_PORT: String(await freePort()) };
      const stop = stops[index % stops.length] ?? [];
      await using running = project.spawn(words, { env });
      await running.stdout.next('is ready at');
      const home = { HOME: project.stateHome, XDG_STATE_HOME: project.stateHome };
      const stopped = await runLine(stop, { cwd: project.folder, env: home });
      expect(stopped).toMatchObject({ exitCode: 0 });
      expect(problemOf({ line: stop.join(' ') }, stopped.stdout)).toBeUndefined();
      expect(await running.ended()).toMatchObject({ exitCode: 143 });
    }
  });

  test('examples start a sandbox with --detach and stop it', async () => {
    using project = new Project();
    const env = { SANDBOX_PORT: String(await freePort()) };
    const detached = of('start').filter((words) => words.includes('--detach'));
    expect(detached).toHaveLength(1);
    for (const words of [...detached, ...of('stop').slice(0, 1)]) {
      expect(await project.run(words, { env })).toMatchObject({ exitCode: 0 });
    }
  });

  test.each([...of('exec'), ...of('explore').slice(0, 1)].map((words) => [words.join(' '), words] as const))(
    'examples of processes run %s',
    async (_, words) => {
      using project = new Project();
      await using app = await App.start(WELL_KNOWN_CREDENTIALS.webhookSecret);
      project.write('package.json', '{"scripts":{"test":"node test.mjs"}}');
      project.write('test.mjs', SUITE);
      project.write('e2e.sh', 'node test.mjs\n');
      const forwarded =
        words[0] === 'explore' ? ['explore', '--forward-to', '3000', ...words.slice(1)] : words;
      const here = forwarded.map((word) => (word === '3000' ? app.url : word));
      expect(await project.run(here)).toMatchObject({ exitCode: 0 });
    },
  );
});

describe('human-readable output', () => {
  test.each(firsts.map((each) => [each.name, each] as const))(
    'human-readable output is printed by %s',
    async (_, each) => {
      const narrow = await run(each, { columns: 80 });
      const isVerbatim = VERBATIM.test(each.line);
      expect(isVerbatim ? changedWords(await run(each), narrow) : tooWide(narrow)).toEqual([]);
      const colored = await run(each, { columns: 80, colorLevel: 1 });
      // A number with another digit may move a line break.
      const plain = (text: string) => steady(stripVTControlCharacters(text)).replaceAll(/\s+/g, ' ');
      expect(plain(colored.stdout)).toBe(plain(narrow.stdout));
      expect(plain(colored.stderr)).toBe(plain(narrow.stderr));
      expect(colored.exitCode).toBe(narrow.exitCode);
    },
  );
});

describe('--json', () => {
  test.each(firsts.map((each) => [each.name, each] as const))(
    'prints valid JSON for %s',
    async (name, each) => {
      const { stdout, stderr, exitCode } = await run({ name, line: `${each.line.split(' > ')[0]} --json` });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(jsonProblem(stdout)).toBeUndefined();
    },
  );

  test('prints a line per attempt for listen', async () => {
    await stage.before('listen');
    const listening = stage.start(`listen --forward-to ${stage.receiver} --simulate 500,ok --json`);
    await listening.said('"type":"ready"');
    await stage.run('trigger pix.settled');
    await listening.said('"type":"simulated"');
    await stage.run('clock advance 1m');
    await listening.said('"type":"attempt"');
    listening.stop();
    expect(await listening.exitCode).toBe(130);
    expect(jsonProblem(listening.stdout())).toBeUndefined();
  });

  test.each(['start', 'logs'])('prints a line per request for %s', async (name) => {
    const starting = stage.start('start --json');
    await starting.said('"type":"ready"');
    // `init` may have run in this folder, and `start` forwards to what it wrote.
    const { url } = JSON.parse(starting.stdout().split('\n')[0] ?? '') as { url: string };
    const follow = `logs --source calls --follow --url ${url} --json`;
    const telling = name === 'start' ? starting : stage.start(follow);
    await telling.said('"type":"ready"');
    await fetch(`${url}/api/public/v1/pix`);
    await telling.said('"type":"call"');
    telling.stop();
    expect(await telling.exitCode).toBe(130);
    expect(jsonProblem(telling.stdout())).toBeUndefined();
    starting.stop();
    expect(await starting.exitCode).toBe(130);
  });

  test('prints one object for exec, and redirects the output of its command', async () => {
    using project = new Project();
    const ran = await project.run(['exec', '--json', '--', 'node', '-e', 'console.log("done")']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^done\nwarning /) });
    expect(jsonProblem(ran.stdout)).toBeUndefined();
  });
});

test('shows secrets only for commands whose result contains them', () => {
  expect([...showing].sort()).toEqual(['env', 'sign request', 'state export']);
});

describe('color', () => {
  /** On which streams there is color when nobody receives an event, which is said on both. */
  const colored = async (project: Project, env: Record<string, string>, ...more: string[]) => {
    const { stdout, stderr } = await project.run(['trigger', 'pix.settled', ...more], { env });
    expect(stderr).toContain('No endpoint or listener receives this event.');
    return { stdout: stdout.includes('\u001b'), stderr: stderr.includes('\u001b') };
  };
  const both = { stdout: true, stderr: true };
  const none = { stdout: false, stderr: false };

  test('follows FORCE_COLOR, NO_COLOR and --no-color, and is absent from JSON', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    expect(await colored(project, {})).toEqual(none);
    expect(await colored(project, { FORCE_COLOR: '1' })).toEqual(both);
    expect(await colored(project, { FORCE_COLOR: '0' })).toEqual(none);
    expect(await colored(project, { FORCE_COLOR: '1', NO_COLOR: '1' })).toEqual(none);
    expect(await colored(project, { FORCE_COLOR: '1' }, '--no-color')).toEqual(none);
    expect(await colored(project, { FORCE_COLOR: '1' }, '--json')).toEqual(none);
  });
});
