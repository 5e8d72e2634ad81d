import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complete, optionsOf } from '../../../src/cli/completion/complete.js';
import { COMMANDS } from '../../helpers/cli/commands.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { DELIVERY_STATUSES } from '../../../src/contract/transitions.js';
import { ASSUMPTION_IDS } from '../../../src/contract/assumptions.js';

const NOBODY = { env: { XDG_STATE_HOME: '/nowhere' }, cwd: '/nowhere' };

/** What completes a line, without the program's name; its last word is being typed. */
async function values(line: string): Promise<readonly string[]> {
  const { candidates } = await complete(line.split(' '), NOBODY);
  return candidates.map(({ value }) => value);
}

async function paths(line: string) {
  return (await complete(line.split(' '), NOBODY)).paths;
}

describe('commands', () => {
  test('all of them, each once, with what they do', async () => {
    const { candidates } = await complete([''], NOBODY);
    const names = candidates.map(({ value }) => value);
    expect(new Set(names)).toEqual(new Set(COMMANDS.map(({ name }) => name.split(' ')[0])));
    expect(names).toHaveLength(new Set(names).size);
    expect(candidates.filter(({ description }) => description === '')).toEqual([]);
  });

  test.each([
    ['tri', ['trigger']],
    ['charges ', ['list', 'show', 'create', 'settle', 'fail', 'expire']],
    ['charges s', ['show', 'settle']],
    ['help dep', []],
    ['help cha', ['charges']],
    ['help charges cr', ['create']],
    ['-', ['--help', '--version']],
    ['nope ', []],
    ['charges nope ', []],
    ['--json charges s', ['show', 'settle']],
    ['--url http://127.0.0.1:1 charges --no-color show --j', ['--json']],
  ])('%j', async (line, wanted) => {
    expect(await values(line)).toEqual(wanted);
  });
});

describe('options', () => {
  test.each(COMMANDS.map((spec) => [spec.name, spec] as const))(
    'of %s, each with a description',
    async (name, spec) => {
      const { candidates } = await complete([...name.split(' '), '--'], NOBODY);
      expect(candidates.map(({ value }) => value)).toEqual(optionsOf(spec).map(({ value }) => value));
      expect(candidates.filter(({ description }) => description === '')).toEqual([]);
    },
  );

  test('come where nothing else can', async () => {
    expect(await values('status ')).toEqual(['--json', '--url', '--no-color', '--no-input', '--help']);
    expect(await values('trigger pix.settled --w')).toEqual(['--withdrawal', '--wait']);
  });

  test('are given once, but for those that may be repeated', async () => {
    expect(await values('start --seed 7 --se')).toEqual([]);
    expect(await values('start --seed=7 --se')).toEqual([]);
    expect(await values('start --assume a=b --ass')).toEqual(['--assume']);
  });

  test('do not come after --', async () => {
    expect(await values('exec -- --')).toEqual([]);
    expect(await paths('exec -- np')).toBe('files');
  });
});

describe('values', () => {
  test.each([
    ['trigger ', EVENT_TYPES],
    ['deliveries list --status ', DELIVERY_STATUSES],
    ['wait ', ['ready', 'idle', 'delivery']],
    ['kyc list --status u', ['under_review']],
    ['kyc decide kyc_1 app', ['approved']],
    ['listen --retries ', ['real', 'fast', 'off']],
    [
      'listen --events pix.settled,withdrawal.',
      ['pix.settled,withdrawal.settled', 'pix.settled,withdrawal.failed', 'pix.settled,withdrawal.*'],
    ],
    ['run paid', ['paid', 'paid-late']],
    ['start --assume signature.enc', ['signature.encoding=']],
    ['start --assume signature.encoding=', ['signature.encoding=hex', 'signature.encoding=base64']],
    ['start --assume=signature.encoding=h', ['--assume=signature.encoding=hex']],
    ['start --assume charge.lifetime=', []],
    ['faults add lose', ['lose-response', 'lose-answer']],
    ['faults add duplicate --event pix', ['pix.settled', 'pix.failed', 'pix.expired', 'pix.*']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['fixtures show pix.s', ['pix.settled']],
    ['clock advance ', []],
  ])('%j', async (line, wanted) => {
    expect(await values(line)).toEqual(wanted);
  });

  test('of assumptions are all that can be switched', async () => {
    expect(await values('start --assume ')).toEqual(ASSUMPTION_IDS.map((id) => `${id}=`));
  });

  test.each([
    ['verify ', 'files'],
    ['verify body.json --headers ', 'files'],
    ['verify body.json --headers=', 'files'],
    ['start --data ', 'folders'],
    ['fixtures export ', 'folders'],
    ['trigger ', undefined],
  ])('%j: %s', async (line, wanted) => {
    expect(await paths(line)).toBe(wanted);
  });

  test('of ids are none where no sandbox runs', async () => {
    for (const line of ['charges show ', 'deliveries retry ', 'kyc show ', 'trigger pix.settled --charge ']) {
      expect(await values(line)).toEqual([]);
    }
  });
});

test('whatever stands on the line, what is said begins with what is typed', async () => {
  const names = COMMANDS.flatMap(({ name }) => name.split(' '));
  const options = COMMANDS.flatMap((spec) => optionsOf(spec).map(({ value }) => value));
  const pieces = [...names, ...options];
  const word = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...pieces, '--', 'pix.', '--status=') },
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), word, async (before, typed) => {
      const { candidates } = await complete([...before, typed], NOBODY);
      expect(candidates.filter(({ value }) => !value.startsWith(typed))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
