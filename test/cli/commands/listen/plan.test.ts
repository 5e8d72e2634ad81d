import { describe, expect, test } from 'vitest';
import { listen } from '../../../../src/cli/declarations/serve.js';
import {
  parseEventTypes,
  planFaults,
  planHeaders,
  planListeners,
  planTunnel,
} from '../../../../src/cli/commands/listen/plan.js';
import { start } from '../../../../src/cli/declarations/serve.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { EVENT_TYPES } from '../../../../src/contract/enums.js';
import { readBodyOrRefuse } from '../../../../src/core/input/bodies.js';
import { FAULT } from '../../../../src/core/webhooks/faults.js';
import { LISTENER_NAME_FORM } from '../../../../src/text/listener-name.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { thrownBy } from '../../../helpers/thrown-by.js';

const PIX = ['pix.settled', 'pix.failed', 'pix.expired'];
const WITHDRAWAL = ['withdrawal.settled', 'withdrawal.failed'];

function usage(act: () => unknown): string {
  const error = thrownBy(act, CliError);
  expect(error.exitCode).toBe(EXIT_CODES.usage);
  return `${error.message} ${error.hint ?? ''}`;
}

function plan(options: Readonly<Record<string, unknown>>) {
  return planListeners(readOptions(listen.options, options)).map(({ name, target, events }) => ({
    name,
    target: target?.href,
    events,
  }));
}

describe('the listeners', () => {
  test.each([
    ['3000', 'http://localhost:3000/'],
    ['/hook?x=1', 'http://localhost:3000/hook?x=1'],
    ['shop:8080/pix', 'http://shop:8080/pix'],
    ['https://shop.example/a?b=c&d=', 'https://shop.example/a?b=c&d='],
    ['pix.*=3000/pix', 'http://localhost:3000/pix'],
    ['pix.settled,withdrawal.*=/in?type=pix.settled', 'http://localhost:3000/in?type=pix.settled'],
  ])('the listeners forward %s to %s', (text, expected) => {
    expect(plan({ forwardTo: [text] })).toMatchObject([{ target: expected }]);
  });

  test('the listeners are one per target, each with a unique name', () => {
    const forwardTo = ['pix.*=localhost:1/pix', 'withdrawal.failed=localhost:2/', '3000'];
    expect(plan({ forwardTo, name: 'dev' })).toEqual([
      { name: 'dev', target: 'http://localhost:1/pix', events: PIX },
      { name: 'dev-2', target: 'http://localhost:2/', events: ['withdrawal.failed'] },
      { name: 'dev-3', target: 'http://localhost:3000/', events: EVENT_TYPES },
    ]);
  });

  test.each([
    [['3000'], ['localhost-3000']],
    [['127.0.0.1:3000/Hooks/In'], ['127-0-0-1-3000-hooks-in']],
    [['[::]:80/'], ['listener']],
    [['3000/hook?token=abcdef'], ['localhost-3000-hook-token']],
    [
      ['pix.*=3000/hook', 'withdrawal.*=3000/hook', '3000/hook-2'],
      ['localhost-3000-hook', 'localhost-3000-hook-2', 'localhost-3000-hook-2-2'],
    ],
  ])('listeners to %j are named by their targets without --name', (forwardTo, names) => {
    expect(plan({ forwardTo }).map(({ name }) => name)).toEqual(names);
  });

  test('listeners to long targets have names that fit and differ', () => {
    const forwardTo = ['a', 'b', 'b'].map((end) => `3000/${'very-long-path/'.repeat(9)}${end}`);
    const names = plan({ forwardTo }).map(({ name }) => name);
    expect(names).toEqual(plan({ forwardTo }).map(({ name }) => name));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(LISTENER_NAME_FORM.pattern);
  });

  test.each([
    ['A', 'For example: --name a'],
    ['my shop', 'For example: --name my-shop'],
    ['', 'For example: --name dev'],
    ['x'.repeat(41), `For example: --name ${'x'.repeat(40)}`],
  ])('the listeners reject the name %j and describe valid names', (name, hint) => {
    expect(usage(() => plan({ forwardTo: ['3000'], name }))).toBe(
      `--name must have 1 to 40 characters from a-z, 0-9 and -, without a hyphen at either end; got ${name === '' ? '""' : name}. ${hint}`,
    );
  });

  test('the listeners reject a name without room for the number of another target', () => {
    const name = 'x'.repeat(39);
    expect(plan({ forwardTo: ['3000'], name })).toMatchObject([{ name }]);
    expect(usage(() => plan({ forwardTo: ['3000', '4000'], name }))).toContain(
      '--name must have 1 to 38 characters from a-z',
    );
  });

  test('the listeners receive what both the target and --events match', () => {
    const forwardTo = ['*.failed=localhost:1/', 'localhost:2/'];
    expect(plan({ forwardTo, events: 'pix.*' }).map(({ events }) => events)).toEqual([['pix.failed'], PIX]);
    expect(usage(() => plan({ forwardTo: ['withdrawal.*=localhost:1/'], events: 'pix.*' }))).toContain(
      'have no event in common',
    );
  });

  test('the listeners are one without a target if none is provided', () => {
    expect(plan({ events: 'pix.*' })).toEqual([{ name: 'listener', target: undefined, events: PIX }]);
    expect(plan({ name: 'dev' })).toMatchObject([{ name: 'dev' }]);
  });

  test.each(['ftp://x/', 'http://', '70000', '', 'user:pass@', 'http://me:secret@localhost/'])(
    'the listeners reject %s',
    (text) => {
      expect(usage(() => plan({ forwardTo: [text] }))).toContain('--forward-to must');
    },
  );
});

describe('events', () => {
  test.each([
    ['*', EVENT_TYPES],
    ['pix.*', PIX],
    ['withdrawal.*, pix.settled', ['pix.settled', ...WITHDRAWAL]],
  ])('%s are %j', (text, expected) => {
    expect(parseEventTypes(text)).toEqual(expected);
  });

  test.each([
    ['pix.setled', 'Did you mean pix.settled?'],
    ['pix.settled,withdrawl.failed', 'Did you mean withdrawal.failed?'],
    ['paid.*', 'Known: pix.settled, pix.failed'],
    ['', 'Unknown event ""'],
  ])('%s are rejected: %s', (text, words) => {
    expect(usage(() => parseEventTypes(text))).toContain(words);
  });
});

describe('the faults', () => {
  const faults = (options: Readonly<Record<string, unknown>>) =>
    planFaults(readOptions(listen.options, options));

  test('the faults of --simulate are one per attempt that does not reach the application unchanged', () => {
    expect(faults({ simulate: '500, timeout,reset,slow:3s,lost,ok,204' })).toEqual([
      { action: 'answer', status: 500, attempt: 1 },
      { action: 'timeout', attempt: 2 },
      { action: 'drop', attempt: 3 },
      { on: 'delivery', action: 'slow', delay: '3s', attempt: 4 },
      { action: 'lose-answer', attempt: 5 },
      { action: 'answer', status: 204, attempt: 7 },
    ]);
  });

  test('the faults of chance have their probability', () => {
    expect(faults({ duplicate: '0.2', shuffle: '1', delay: '0.5:2s' })).toEqual([
      { action: 'duplicate', copies: 1, probability: 0.2 },
      { action: 'reorder', probability: 1 },
      { on: 'delivery', action: 'delay', delay: '2s', probability: 0.5 },
    ]);
    expect(faults({ delay: '150ms' })).toEqual([
      { on: 'delivery', action: 'delay', delay: '150ms', probability: 1 },
    ]);
  });

  test('the faults are valid for the control API', () => {
    const simulate = '500,timeout,reset,slow:3s,lost,ok';
    const planned = faults({ simulate, duplicate: '0.1', shuffle: '0.1', delay: '0.1:1s' });
    expect(planned).toHaveLength(8);
    for (const fault of planned) {
      expect(readBodyOrRefuse(FAULT, fault).match.on).toBe('delivery');
    }
  });

  test.each([
    [{ simulate: '600' }, 'got 600'],
    [{ simulate: 'explode' }, 'got explode'],
    [{ simulate: 'slow:soon' }, '--simulate slow must be a delay; got soon'],
    [{ simulate: 'slow:90s' }, 'up to 60s'],
    [{ simulate: 'toString' }, 'got toString'],
    [{ duplicate: '0' }, '--duplicate must be a probability'],
    [{ duplicate: '2' }, 'got 2'],
    [{ delay: '2:2s' }, '--delay must be a probability'],
    [{ delay: '0.5:2s:3s' }, '--delay must be a delay; got 2s:3s'],
    [{ delay: '2m' }, 'up to 60s'],
  ])('faults that make no sense are rejected: %j', (options, words) => {
    expect(usage(() => faults(options))).toContain(words);
  });
});

describe('headers', () => {
  const headers = (...list: string[]) => planHeaders(list);

  test('headers accept any valid header value', () => {
    expect(headers('X-Tenant: a', 'authorization:Bearer x:y', 'X-Empty:')).toEqual({
      'x-tenant': 'a',
      authorization: 'Bearer x:y',
      'x-empty': '',
    });
  });

  test.each(['no colon', ': value', 'bad name: x', 'x: line\nbreak'])('headers reject %j', (text) => {
    expect(usage(() => headers(text))).toContain("must have the form 'Name: value'");
  });

  test.each(['webhook-signature: v1,x', 'content-type: text/plain', 'connection: close', 'user-agent: mine'])(
    'headers of the delivery are rejected: %s',
    (text) => {
      expect(usage(() => headers(text))).toContain('is part of the delivery');
    },
  );
});

/** Those of both commands that open a tunnel. */
const ALL = { ...listen.options, ...start.options };

function planTunnelWith(
  options: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
) {
  return planTunnel(fakeIo({ env }).io, readOptions(ALL, options));
}

function refusal(options: Readonly<Record<string, unknown>>, env = {}): CliError {
  try {
    planTunnelWith(options, env);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('Expected a refusal.');
}

describe('the plan of a tunnel', () => {
  test('the plan of a tunnel is localtunnel’s relay for two hours', () => {
    expect(planTunnelWith({ tunnel: true })).toEqual({
      relay: new URL('https://localtunnel.me'),
      name: undefined,
      forMs: 7_200_000,
    });
  });

  test('follows the options', () => {
    const options = { tunnelHost: 'http://relay.lan:8080/lt', tunnelSubdomain: 'my-shop', tunnelFor: '1d' };
    expect(planTunnelWith({ tunnel: true, ...options })).toEqual({
      relay: new URL('http://relay.lan:8080/lt'),
      name: 'my-shop',
      forMs: 86_400_000,
    });
  });

  test.for([
    [{ tunnelHost: 'https://relay.example' }, '--tunnel-host requires --tunnel.'],
    [{ tunnelFor: '1h' }, '--tunnel-for requires --tunnel.'],
    [{ payPage: true }, '--pay-page requires --tunnel.'],
    [{ secret: ['whsec_x'] }, '--secret requires --tunnel.'],
    [{ tunnel: true, allowLocalEndpoints: true }, '--allow-local-endpoints'],
    [{ tunnel: true, route: ['https://a=http://b'] }, '--route'],
    [
      { tunnel: true, tunnelHost: 'relay.example' },
      'must be the URL of a localtunnel relay; got relay.example.',
    ],
    [{ tunnel: true, tunnelHost: 'https://user:secret@relay.example' }, 'must be the URL'],
    [{ tunnel: true, tunnelHost: 'https://relay.example/?x' }, 'must be the URL'],
    [{ tunnel: true, tunnelSubdomain: 'My Shop' }, 'lowercase letters, digits and hyphens; got My Shop.'],
    [{ tunnel: true, tunnelFor: '25h' }, 'up to 24h; got 25h.'],
    [{ tunnel: true, tunnelFor: '0s' }, 'up to 24h; got 0s.'],
  ] as const)('rejects %j', ([options, message]) => {
    const error = refusal(options);
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(message);
  });

  test('the plan of a tunnel is rejected in CI unless confirmed', () => {
    expect(refusal({ tunnel: true }, { CI: '1' }).hint).toContain('--tunnel-in-ci');
    expect(planTunnelWith({ tunnel: true, tunnelInCi: true }, { CI: '1' })).toBeDefined();
  });
});
