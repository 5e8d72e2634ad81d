import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownTurn } from '../../../src/http/control/own-turn.js';
import { testApi } from '../../helpers/http/api-client.js';

test('callers get turns of the event loop one by one, in their order', async () => {
  const turns: string[] = [];
  const other = async () => {
    for (const _ of ['first', 'second', 'third']) {
      await setImmediate();
      turns.push('other');
    }
  };
  const caller = async (name: string) => {
    await ownTurn();
    turns.push(name);
  };
  await Promise.all([other(), ...['a', 'b', 'c'].map(caller)]);
  expect(turns).toEqual(['other', 'a', 'other', 'b', 'other', 'c']);
});

test.each(['status', 'apps', 'endpoints'])(
  'calls of %s made together leave turns to other calls',
  async (path) => {
    const api = await testApi();
    let turn = 0;
    const done = new AbortController();
    const counting = (async () => {
      for (; !done.signal.aborted; turn += 1) await setImmediate();
    })();
    const turns = await Promise.all([1, 2, 3].map(() => api.control('GET', path).then(() => turn)));
    done.abort();
    await counting;
    expect(new Set(turns).size).toBe(3);
  },
);
