import { expect, test } from 'vitest';
import { parseEndpointUrl } from '../../src/delivery/endpoint-url.js';

test('takes a URL apart', () => {
  expect(parseEndpointUrl('HTTPS://Shop.Example:8443/a b?x=1#part')).toEqual({
    href: 'https://shop.example:8443/a%20b?x=1',
    origin: 'https://shop.example:8443',
    protocol: 'https:',
    hostname: 'shop.example',
    port: '8443',
    path: '/a%20b?x=1',
    hasCredentials: false,
  });
});

test('gives an IPv6 address as node:net wants it', () => {
  expect(parseEndpointUrl('http://[0:0::1]:3000/')).toMatchObject({
    hostname: '::1',
    origin: 'http://[::1]:3000',
  });
});

test.for(['', '/hook', 'shop.example', 'https://'])('says null to "%s", also when asked again', (text) => {
  expect(parseEndpointUrl(text)).toBeNull();
  expect(parseEndpointUrl(text)).toBeNull();
});

test('answers rightly however many URLs it has seen', () => {
  for (let index = 0; index < 2_500; index += 1) {
    expect(parseEndpointUrl(`https://shop.example/${index}`)?.path).toBe(`/${index}`);
  }
  expect(parseEndpointUrl('https://shop.example/0')?.path).toBe('/0');
});
