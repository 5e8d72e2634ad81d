import { describe, expect, test } from 'vitest';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
import { INCIDENTS } from '../../../src/contract/incidents.js';
import { cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { completed } from '../../helpers/cli/fake-prompter.js';

const ANYWHERE = Object.keys(CALL_FAULTS).filter((action) => action !== 'insert-between-pages');

test('incident start asks for an incident', async () => {
  const { asked, command } = await completed('incident start', ['api-down (15m)']);
  expect(asked[0]?.offered).toHaveLength(Object.keys(INCIDENTS).length);
  expect(command).toBe('$ npx sandbox incident start api-down');
});

describe('faults add', () => {
  test('asks for the target, the fault and its frequency', async () => {
    const { asked, command } = await completed('faults add', [
      'delivery: duplicate',
      'pix.settled',
      'one time in five',
    ]);
    expect(asked[0]?.offered).toHaveLength(
      Object.keys(CALL_FAULTS).length + Object.keys(DELIVERY_FAULTS).length,
    );
    expect(command).toBe('$ npx sandbox faults add duplicate --event pix.settled --probability 0.2');
  });

  test('asks for the target if both support the fault', async () => {
    const { command } = await completed('faults add', [
      'call: delay',
      'every API request',
      'every time, until it is removed',
    ]);
    expect(command).toBe('$ npx sandbox faults add delay --on call');
  });

  test('asks for no typed value', async () => {
    const options = { on: 'delivery', attempt: '1', count: '2' };
    const { asked, command } = await completed('faults add', ['delivery: drop'], { options });
    expect(asked[0]?.offered).toHaveLength(Object.keys(DELIVERY_FAULTS).length);
    expect(command).toBe('$ npx sandbox faults add drop --on delivery --attempt 1 --count 2');
  });

  test('accepts what it offers', async () => {
    await using sandbox = await cliSandbox({ restart: async () => {} });
    for (const chosen of [
      ...ANYWHERE.map((action) => [`call: ${action}`, 'creating a charge']),
      ['call: delay', 'the identity API'],
      ['call: insert-between-pages'],
      ...Object.keys(DELIVERY_FAULTS).map((action) => [`delivery: ${action}`, 'every delivery']),
    ]) {
      const times = chosen[0] === 'delivery: hold' ? 'for 2h of sandbox time' : 'once';
      const { args, options } = await completed('faults add', [...chosen, times]);
      expect((await sandbox.run('faults add', { args, options })).exitCode).toBe(0);
    }
  });
});
