import { expect, test } from 'vitest';
import {
  formatEndpointLabel,
  LISTENER_NAME_FORM,
  parseListenerName,
  parseListenerTarget,
  createListenerUrl,
} from '../../src/text/listener-name.js';

test.each(['a', '0', 'my-shop', 'a-1', 'a'.repeat(40)])('accepts the name %s', (name) => {
  expect(LISTENER_NAME_FORM.pattern.test(name)).toBe(true);
  expect(parseListenerName(createListenerUrl(name))).toBe(name);
});

test.each(['', '-a', 'a-', 'A', 'a_b', 'a b', 'a'.repeat(41), 'a\n'])('rejects the name %j', (name) => {
  expect(LISTENER_NAME_FORM.pattern.test(name)).toBe(false);
  expect(LISTENER_NAME_FORM.problem(name)).toBe(
    `A listener name must have 1 to 40 characters from a-z, 0-9 and -, without a hyphen at either end; got ${name}.`,
  );
});

test.each([
  'http://a.listen.sandbox.localhost/',
  'https://a.b/',
  'https://A.listen.x/',
  'x https://a.listen.x/',
])('rejects %s as a listener URL', (url) => {
  expect(parseListenerName(url)).toBe('');
});

test('describes a listener by its target and its name or command', () => {
  const target = 'http://localhost:3000/hook';
  expect(parseListenerTarget(`listener → ${target}`)).toEqual({ by: 'listener', target });
  expect(parseListenerTarget(`start → ${target}`)).toEqual({ by: 'start', target });
  expect(parseListenerTarget(`my-shop → ${target}`)).toEqual({ by: 'my-shop', target });
  for (const other of [null, '', `a listener → ${target}`, 'start → ftp://x', `start → ${target} x`])
    expect(parseListenerTarget(other)).toBeUndefined();
});

test('lists show an endpoint by its URL, and a listener by its description', () => {
  const url = createListenerUrl('shop');
  const description = 'shop → http://localhost:3000/';
  expect(formatEndpointLabel({ transport: 'listener', url, description })).toBe(description);
  expect(formatEndpointLabel({ transport: 'listener', url, description: null })).toBe(url);
  expect(formatEndpointLabel({ transport: 'http', url, description })).toBe(url);
});
