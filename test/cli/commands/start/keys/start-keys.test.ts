import { describe, expect, test } from 'vitest';
import { StartKeys } from '../../../../../src/cli/commands/start/keys/start-keys.js';
import { EVENT_TYPES } from '../../../../../src/contract/enums.js';
import { fakeIo } from '../../../../helpers/cli/cli-io.js';
import type { CliSandbox } from '../../../../helpers/cli/cli-sandbox.js';
import { cliSandbox, trigger, worldOf } from '../../../../helpers/cli/cli-sandbox.js';
import { listenTo, newCharge } from '../../../../helpers/sandbox/sandbox.js';

/** Presses keys one after the other, and says what they printed and did beside the sandbox. */
function keysOf({ server }: CliSandbox, columns = 80) {
  const { io, stderr, stdout, stop } = fakeIo({ columns });
  const opened: string[] = [];
  let quits = 0;
  const keys = new StartKeys(server, {
    io,
    quit: () => (quits += 1),
    open: (url) => opened.push(url),
  });
  let read = 0;
  const written = () => {
    const text = stderr().slice(read);
    read = stderr().length;
    return text;
  };
  return {
    opened,
    stop,
    stdout,
    quits: () => quits,
    press: async (typed: string) => {
      for (const key of typed) await keys.press(key);
      return written();
    },
    type: async (key: string) => {
      await keys.press(key);
      return written();
    },
  };
}

describe('the key t', () => {
  test.each([
    [EVENT_TYPES[0], 1],
    [EVENT_TYPES.at(-1), EVENT_TYPES.length],
  ] as const)('triggers %s', async (type, digit) => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox);
    const { press, stdout } = keysOf(sandbox);
    expect(await press('t')).toContain(`${digit} ${type}`);
    const said = await press(String(digit));
    expect(said).toMatch(new RegExp(`^❯ ${digit} ${type} .*\n${type} `));
    expect(said).toContain('DELIVERED  200');
    expect(worldOf(sandbox).events.rows.map((event) => event.type)).toEqual([type]);
    expect(stdout()).toBe('');
  });

  test('triggers nothing at another key', async () => {
    await using sandbox = await cliSandbox();
    const { press } = keysOf(sandbox);
    for (const key of ['6', '0', 't', 'r', '\u001b', ' ']) {
      expect(await press(`t${key}`)).toContain('Nothing was triggered.');
    }
    expect(worldOf(sandbox).events.rows).toEqual([]);
  });

  test('reports that no endpoint and no listener receives an event', async () => {
    await using sandbox = await cliSandbox();
    expect(await keysOf(sandbox).press('t1')).toContain('  No endpoint or listener receives this event.');
  });

  test('moves the choice by arrows, and accepts it with Enter', async () => {
    await using sandbox = await cliSandbox();
    for (const columns of [80, 30]) {
      const { type } = keysOf(sandbox, columns);
      await type('t');
      const lines: string[] = [];
      for (const key of ['down', 'down', 'up', 'up', 'up', 'up']) lines.push(await type(key));
      expect(lines.map((line) => /^❯ (\S+)/.exec(line)?.[1])).toEqual(['2', '3', '2', '1', '5', '4']);
      expect(lines.filter((line) => line.trimEnd().length >= columns)).toEqual([]);
      expect(await type('\r')).toContain('withdrawal.settled');
    }
    expect(worldOf(sandbox).events.rows.map((event) => event.type)).toEqual([
      'withdrawal.settled',
      'withdrawal.settled',
    ]);
  });
});

describe('the key v', () => {
  test('turns the test receiver on and off', async () => {
    await using sandbox = await cliSandbox();
    const { press } = keysOf(sandbox);
    expect(await press('t1')).toContain('Press v for the test receiver.');
    expect(await press('v')).toBe(
      'The test receiver is on: it verifies every delivery and responds with 200. Press\nv to turn it off.\n',
    );
    expect(await press('t1')).toContain('DELIVERED  200');
    sandbox.server.sandbox.testReceiver.turnOn('timeout');
    expect(await press('t1')).toContain('PENDING  TIMEOUT');
    expect(await press('v')).toBe('The test receiver is off. Deliveries held until it is on again: 1.\n');
    expect(sandbox.server.sandbox.testReceiver.endpoint).toBeUndefined();
  });
});

describe('the key n', () => {
  test('runs the next due item and shows it', async () => {
    await using sandbox = await cliSandbox();
    const charge = newCharge(sandbox.server.sandbox);
    const { press } = keysOf(sandbox);
    expect(await press('n')).toBe(
      `Done: expiry of charge ${charge.id}.\nSandbox time is now 2026-01-02T00:00:00Z.\n`,
    );
    expect(charge.status).toBe('EXPIRED');
    expect(await press('n')).toBe('Nothing is due.\n');
  });

  test('shows how the attempt ended, and when the next one is due', async () => {
    await using sandbox = await cliSandbox();
    const statuses = [500, 401, 200];
    listenTo(sandbox.server.sandbox, { status: () => statuses.shift() });
    trigger(sandbox);
    await sandbox.server.sandbox.idle();
    const { press } = keysOf(sandbox, 0);
    const [delivery] = worldOf(sandbox).deliveries.rows;
    const done = `Done: attempt of delivery ${delivery?.id}`;
    expect(await press('n')).toContain(`${done}: 401, PENDING, next in 5m.\n`);
    expect(await press('n')).toContain(`${done}: 200, DELIVERED.\n`);
  });
});

describe('the key p', () => {
  test('pauses and resumes deliveries', async () => {
    await using sandbox = await cliSandbox();
    const listener = listenTo(sandbox.server.sandbox);
    const { press } = keysOf(sandbox);
    expect(await press('p')).toContain('Deliveries are paused');
    expect(await press('t1')).toContain('press p to resume');
    expect(listener.received).toEqual([]);
    expect(await press('p')).toBe('Deliveries resumed. Released: 1.\n');
    await sandbox.server.sandbox.idle();
    expect(listener.received).toHaveLength(1);
  });
});

describe('the key r', () => {
  test('resets after a yes', async () => {
    await using sandbox = await cliSandbox();
    newCharge(sandbox.server.sandbox);
    const { press, type } = keysOf(sandbox);
    expect(await press('rn')).toMatch(/y or n\nNothing was reset\./);
    expect(await press('r\r')).toContain('Nothing was reset.');
    expect(worldOf(sandbox).charges.rows).toHaveLength(1);
    expect(await type('r')).toContain('y or n');
    expect(await type('down')).toBe('');
    expect(await type('Y')).toContain('The sandbox was reset.');
    expect(worldOf(sandbox).charges.rows).toEqual([]);
  });
});

describe('the key o', () => {
  test('opens the newest pending identity page, or else the console', async () => {
    await using sandbox = await cliSandbox();
    const { press, opened } = keysOf(sandbox);
    expect(await press('o')).toBe(`Open ${sandbox.server.url}/\n`);
    const { sandbox: core } = sandbox.server;
    const organizationId = worldOf(sandbox).organizations.rows[0]?.id ?? '';
    const session = () =>
      core.dispatch({
        type: 'session.create',
        organizationId,
        customerType: 'individual',
        idempotencyKey: null,
        ...core.epoch.newSessionSecrets(),
      }).session;
    const waiting = session();
    core.dispatch({ type: 'session.decide', sessionId: session().id, status: 'approved' });
    await press('o');
    expect(opened).toEqual([`${sandbox.server.url}/`, `${sandbox.server.url}/session/${waiting.id}`]);
    for (const url of opened) expect((await fetch(url)).status).toBe(200);
  });
});

describe('other keys', () => {
  test('the help key shows every key, q quits, and unknown keys do nothing', async () => {
    await using sandbox = await cliSandbox();
    const { press, type, quits } = keysOf(sandbox);
    const help = await press('?');
    expect(await press('h')).toBe(help);
    for (const key of 'tnproq') expect(help).toMatch(new RegExp(`^  ${key}  \\w`, 'm'));
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await press('xyz5')).toBe('');
    expect((await type('up')) + (await type('down'))).toBe('');
    expect(await press('\r')).toBe('\n');
    await press('Q');
    expect(quits()).toBe(1);
  });

  test('messages of keys break no word on a terminal of 40 columns', async () => {
    await using sandbox = await cliSandbox();
    const { press } = keysOf(sandbox, 40);
    expect(await press('?')).toContain('  t  trigger an event on a new charge or\n     withdrawal\n');
    const said = await press('?vppvrn');
    expect(said.split('\n').filter((line) => line.length > 40)).toEqual([]);
  });

  test('keys do nothing while the sandbox stops', async () => {
    await using sandbox = await cliSandbox();
    const { press, stop } = keysOf(sandbox);
    await press('r');
    stop();
    expect(await press('yt1')).toBe('');
    expect(worldOf(sandbox).events.rows).toEqual([]);
  });
});
