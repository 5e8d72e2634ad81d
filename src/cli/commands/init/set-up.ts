import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { makeFolder } from '../../../folders.js';
import { environmentBlock, isLoopbackHost } from '../../../http/server/start.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../sandbox/credentials.js';
import { settingsOrRefuse } from '../../program/configured-options.js';
import { bytesIfThere, onFile } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { formatEnv } from '../env/formats.js';
import type { Choices } from './choices.js';
import { additionTo } from './env-file.js';
import { firstTest, firstTestPath } from './first-test.js';

const ENV_FILE = '.env.test';
/** The path of the schema below node_modules, for editors; relative to the settings file. */
const SCHEMA = './node_modules/pix-sandbox/fixtures/config/sandbox.config.schema.json';
const DEFAULT_PORT = '7490';
/** People add their own secrets to such files. */
const ENV_MODE = 0o600;

/** What happens to a file: an existing one is kept or extended. */
export interface SetUpFile {
  /** Relative to the project folder. */
  readonly path: string;
  readonly outcome: 'written' | 'extended' | 'kept' | 'left out';
  /** Names added to an environment file, and existing ones that were kept. */
  readonly added?: readonly string[];
  readonly kept?: readonly string[];
  readonly reason?: string;
}

interface Planned {
  readonly file: SetUpFile;
  /** What to write, and how; a new file must not exist yet. */
  readonly write?: { readonly text: string; readonly flag: 'wx' | 'a'; readonly mode?: number };
}

/** Sets up a project without changing existing content. Checks everything before writing anything. */
export function setUp(folder: string, choices: Choices, io: Io): readonly SetUpFile[] {
  const planned = [configFile(folder, choices), envFile(folder, io), testFile(folder, choices)].flat();
  for (const { file, write } of planned) {
    if (write === undefined) continue;
    const { text, flag, mode } = write;
    onFile({ verb: 'write', name: file.path }, () => {
      makeFolder(dirname(join(folder, file.path)));
      writeFileSync(join(folder, file.path), text, { flag, mode });
    });
  }
  return planned.map(({ file }) => file);
}

function configFile(folder: string, { forwardTo, events, seed }: Choices): Planned {
  const path = PROJECT_FILE;
  if (existsSync(join(folder, path))) return { file: { path, outcome: 'kept' } };
  const settings = { $schema: SCHEMA, forwardTo: [forwardTo], events: events?.split(','), seed };
  return {
    file: { path, outcome: 'written' },
    write: { text: `${JSON.stringify(settings, null, 2)}\n`, flag: 'wx' },
  };
}

function envFile(folder: string, io: Io): Planned {
  const path = ENV_FILE;
  const { values } = settingsOrRefuse({}, io, 'start');
  const settingOf = (name: string) => {
    const value = values.find(({ setting }) => setting.key === name)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const host = settingOf('host');
  if (!isLoopbackHost(host)) {
    const reason = `on ${host} every start draws new credentials; use npx pix-sandbox env > ${path}`;
    return { file: { path, outcome: 'left out', reason } };
  }
  const port = settingOf('port') ?? DEFAULT_PORT;
  const env = environmentBlock(
    `http://127.0.0.1:${port === '0' ? DEFAULT_PORT : port}`,
    WELL_KNOWN_CREDENTIALS,
  );
  const lines = Object.entries(env).map(([name, value]) => [name, formatEnv({ [name]: value }, 'dotenv')]);
  const present = bytesIfThere(join(folder, path), { verb: 'read', name: path })?.toString();
  const { text, added, kept } = additionTo(
    present ?? '',
    Object.fromEntries(lines) as Record<string, string>,
  );
  if (present === undefined) {
    return { file: { path, outcome: 'written', added, kept }, write: { text, flag: 'wx', mode: ENV_MODE } };
  }
  if (added.length === 0) return { file: { path, outcome: 'kept', added, kept } };
  return { file: { path, outcome: 'extended', added, kept }, write: { text, flag: 'a' } };
}

function testFile(folder: string, { test }: Choices): Planned[] {
  if (test === 'none') return [];
  const path = firstTestPath(folder, test);
  if (existsSync(join(folder, path))) return [{ file: { path, outcome: 'kept' } }];
  return [{ file: { path, outcome: 'written' }, write: { text: firstTest(test), flag: 'wx' } }];
}
