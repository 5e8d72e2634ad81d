import { describe, expect, test } from 'vitest';
import {
  environmentCheck,
  nodeCheck,
  proxyCheck,
  satisfies,
  terminalCheck,
} from '../../../../src/cli/commands/doctor/runtime.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';

const ENGINES = '^20.19.0 || >=22.3.0';

test.each([
  ['v20.18.9', false],
  ['v20.19.0', true],
  ['v20.20.1', true],
  ['v21.7.0', false],
  ['v22.2.9', false],
  ['v22.3.0', true],
  ['v24.0.0', true],
  ['v100.0.0', true],
  ['v18.20.0', false],
])('Node %s may run it: %s', (version, may) => {
  expect(satisfies(version, ENGINES)).toBe(may);
  expect(nodeCheck(version, ENGINES).status).toBe(may ? 'ok' : 'fail');
});

describe('the environment', () => {
  test('is in order where nothing is set', () => {
    expect(environmentCheck({}).status).toBe('ok');
  });

  test('is warned of without its values', () => {
    const { status, message } = environmentCheck({
      NODE_OPTIONS: '--require=/secret.js --inspect',
      NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    expect(status).toBe('warn');
    expect(message).toBe(
      'NODE_OPTIONS adds --require --inspect to every Node process; NODE_EXTRA_CA_CERTS names a file that cannot be read; NODE_TLS_REJECT_UNAUTHORIZED accepts every certificate.',
    );
    expect(environmentCheck({ NODE_EXTRA_CA_CERTS: import.meta.filename }).message).toContain('slows');
  });
});

describe('a proxy', () => {
  test.each([
    [{}, 'ok'],
    [{ HTTP_PROXY: '' }, 'ok'],
    [{ HTTP_PROXY: 'http://u:secret@proxy' }, 'warn'],
    [{ https_proxy: 'http://proxy', NO_PROXY: 'localhost' }, 'warn'],
    [{ ALL_PROXY: 'http://proxy', no_proxy: 'localhost, 127.0.0.1' }, 'ok'],
    [{ HTTP_PROXY: 'http://proxy', NO_PROXY: '*' }, 'ok'],
    [{ HTTP_PROXY: 'http://proxy', NO_PROXY: 'mylocalhost,127.0.0.1' }, 'warn'],
  ])('%j: %s', (env, status) => {
    const check = proxyCheck(env);
    expect(check.status).toBe(status);
    expect(JSON.stringify(check)).not.toContain('secret');
  });

  test('is left out of by what the advice says', () => {
    const advice = proxyCheck({ HTTP_PROXY: 'http://proxy', NO_PROXY: 'a.example' }).advice ?? '';
    expect(advice).toBe('export NO_PROXY=a.example,localhost,127.0.0.1');
    expect(proxyCheck({ HTTP_PROXY: 'x', NO_PROXY: advice.split('=')[1] }).status).toBe('ok');
  });
});

test('the terminal', () => {
  const pipe = fakeIo({ env: {} });
  expect(terminalCheck(pipe.io, 'linux')).toMatchObject({
    status: 'ok',
    message: 'no terminal, so text is not cut, no colours, locale C, commands ask no questions.',
  });
  const person = fakeIo({ columns: 100, colourLevel: 1, interactive: true, env: { LANG: 'pt_BR.UTF-8' } });
  expect(terminalCheck(person.io, 'linux')).toMatchObject({
    status: 'ok',
    message: '100 columns, colours, UTF-8, commands may ask questions.',
  });
  const old = fakeIo({ columns: 80, env: { LANG: 'pt_BR.UTF-8', LC_ALL: 'C' } });
  expect(terminalCheck(old.io, 'linux').status).toBe('warn');
});
