import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '../../folders.js';
import { oneOfOrUsage } from '../closest.js';
import { CliError, EXIT } from '../errors.js';
import { fileError } from '../input-bytes.js';
import type { CommandBody } from '../io.js';
import { packageFolder } from '../package-folder.js';
import { table } from '../text.js';

/** `sandbox fixtures list`: what there is. */
export const list: CommandBody = ({ io }) => {
  const folder = fixturesFolder();
  const rows = fixtureNames(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    return { name, holds: contentOf(name, bytes), bytes: bytes.length };
  });
  io.emit({ folder, fixtures: rows });
  io.say(
    table(
      rows,
      [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'HOLDS', value: ({ holds }) => holds, leastWidth: 12 },
        { title: 'BYTES', value: ({ bytes }) => String(bytes), optional: true },
      ],
      io.columns,
    ),
  );
  return Promise.resolve();
};

/** `sandbox fixtures show`: one of them on stdout, to be piped on. */
export const show: CommandBody = ({ io, args }) => {
  const folder = fixturesFolder();
  const name = chosenName(fixtureNames(folder), args[0] ?? '');
  const text = readFileSync(join(folder, name), 'utf8');
  io.emit(name.endsWith('.json') ? parseFixture(text) : { name, text });
  io.say(text.replace(/\n$/, ''));
  return Promise.resolve();
};

/** `sandbox fixtures export`: all of them into a folder; nothing is written where a file with other content is in the way. */
export const exportAll: CommandBody = ({ io, args, options }) => {
  const folder = resolve(io.cwd, args[0] ?? '');
  const source = fixturesFolder();
  const planned = fixtureNames(source).map((name) => {
    const bytes = readFileSync(join(source, name));
    const path = join(folder, name);
    const present = presentBytes(path);
    return { name, bytes, path, isThere: present !== undefined, isSame: present?.equals(bytes) ?? false };
  });
  const inTheWay = planned.filter(({ isThere, isSame }) => isThere && !isSame);
  if (inTheWay.length > 0 && !options.flag('force')) {
    throw new CliError(
      EXIT.usage,
      'FILE_EXISTS',
      `${inTheWay.length} of ${planned.length} files exist in ${folder} with other content; nothing was written.`,
      {
        hint: 'Overwrite them with --force, or name another folder.',
        details: inTheWay.map(({ name }) => ({ field: name, message: 'exists with other content' })),
      },
    );
  }
  const wanted = planned.filter(({ isSame }) => !isSame);
  for (const { path, bytes } of wanted) write(path, bytes);
  const written = wanted.map(({ name }) => name);
  const unchanged = planned.filter(({ isSame }) => isSame).map(({ name }) => name);
  io.emit({ folder, written, unchanged });
  const kept = unchanged.length === 0 ? '' : `; ${unchanged.length} were there already`;
  io.say(`${written.length} files written to ${folder}${kept}.`);
  return Promise.resolve();
};

function fixturesFolder(): string {
  return join(packageFolder(), 'fixtures');
}

/** The files of the package's fixtures by their paths below that folder, with slashes on every system. */
function fixtureNames(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
    .sort();
}

/** A fixture by its path, or by the last part of it where no other has the same; `.json` may be left out. */
function chosenName(names: readonly string[], text: string): string {
  const [match, ...others] = names.filter((name) =>
    [name, name.slice(name.lastIndexOf('/') + 1)].some((form) => text === form || `${text}.json` === form),
  );
  return match !== undefined && others.length === 0 ? match : oneOfOrUsage('fixture', text, names);
}

function contentOf(name: string, bytes: Buffer): string {
  if (name.endsWith('.md')) return 'how to use them';
  if (!name.endsWith('.json') || name.startsWith('examples/')) return 'an example that runs';
  const { vectors, steps, type } = parseFixture(bytes.toString('utf8'));
  if (Array.isArray(vectors)) return `${vectors.length} vectors`;
  if (Array.isArray(steps)) return 'a scenario';
  return typeof type === 'string' ? `a payload of ${type}` : '';
}

interface Fixture {
  readonly vectors?: unknown;
  readonly steps?: unknown;
  readonly type?: unknown;
}

function parseFixture(text: string): Fixture {
  return JSON.parse(text) as Fixture;
}

function presentBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError('write', path, error, 'Name another folder.') ?? error;
  }
}

function write(path: string, bytes: Buffer): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, bytes);
  } catch (error) {
    throw fileError('write', path, error, 'Name another folder.') ?? error;
  }
}
