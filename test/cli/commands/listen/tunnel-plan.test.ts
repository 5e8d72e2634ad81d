import { describe, expect, test } from 'vitest';
import { CliError } from '../../../../src/cli/program/errors.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import { listen } from '../../../../src/cli/commands/listen/command.js';
import { start } from '../../../../src/cli/commands/start/command.js';
import { planTunnel } from '../../../../src/cli/commands/listen/plan.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';

/** Those of both commands that open a tunnel. */
const ALL = { ...listen.options, ...start.options };

function plan(options: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  return planTunnel(fakeIo({ env }).io, readOptions(ALL, options));
}

function refusal(options: Readonly<Record<string, unknown>>, env = {}): CliError {
  try {
    plan(options, env);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('Expected a refusal.');
}

describe('the plan of a tunnel', () => {
  test('is none without --tunnel', () => {
    expect(plan({})).toBeUndefined();
    expect(plan({}, { CI: 'true' })).toBeUndefined();
  });

  test('is localtunnel’s relay for two hours', () => {
    expect(plan({ tunnel: true })).toEqual({
      relay: new URL('https://localtunnel.me'),
      name: undefined,
      forMs: 7_200_000,
    });
  });

  test('is what was asked for', () => {
    const options = { tunnelHost: 'http://relay.lan:8080/lt', tunnelSubdomain: 'my-shop', tunnelFor: '1d' };
    expect(plan({ tunnel: true, ...options })).toEqual({
      relay: new URL('http://relay.lan:8080/lt'),
      name: 'my-shop',
      forMs: 86_400_000,
    });
  });

  test.for([
    [{ tunnelHost: 'https://relay.example' }, '--tunnel-host goes with --tunnel.'],
    [{ tunnelSubdomain: 'shop' }, '--tunnel-subdomain goes with --tunnel.'],
    [{ tunnelFor: '1h' }, '--tunnel-for goes with --tunnel.'],
    [{ tunnelInCi: true }, '--tunnel-in-ci goes with --tunnel.'],
    [{ payPage: true }, '--pay-page goes with --tunnel.'],
    [{ secret: ['whsec_x'] }, '--secret goes with --tunnel.'],
    [{ secretFile: 'x' }, '--secret-file goes with --tunnel.'],
    [{ tunnel: true, allowLocalEndpoints: true }, '--allow-local-endpoints'],
    [{ tunnel: true, route: ['https://a=http://b'] }, '--route'],
    [
      { tunnel: true, tunnelHost: 'relay.example' },
      'takes the URL of a localtunnel relay; got relay.example.',
    ],
    [{ tunnel: true, tunnelHost: 'ftp://relay.example' }, 'takes the URL'],
    [{ tunnel: true, tunnelHost: 'https://user:secret@relay.example' }, 'takes the URL'],
    [{ tunnel: true, tunnelHost: 'https://relay.example/?x' }, 'takes the URL'],
    [{ tunnel: true, tunnelSubdomain: 'My Shop' }, 'lower-case letters, digits and hyphens; got My Shop.'],
    [{ tunnel: true, tunnelSubdomain: '-ab-' }, 'lower-case letters'],
    [{ tunnel: true, tunnelFor: '25h' }, 'up to 24h; got 25h.'],
    [{ tunnel: true, tunnelFor: '0s' }, 'up to 24h; got 0s.'],
    [{ tunnel: true, tunnelFor: 'soon' }, 'must be a duration; got soon.'],
  ] as const)('refuses %j', ([options, message]) => {
    const error = refusal(options);
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(message);
  });

  test('is refused in CI unless it is meant', () => {
    expect(refusal({ tunnel: true }, { CI: '1' }).hint).toContain('--tunnel-in-ci');
    expect(plan({ tunnel: true, tunnelInCi: true }, { CI: '1' })).toBeDefined();
  });
});
