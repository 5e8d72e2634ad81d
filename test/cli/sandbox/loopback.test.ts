import { expect, test } from 'vitest';
import { isLoopback } from '../../../src/cli/sandbox/loopback.js';

test.each([
  '127.0.0.1:3000',
  '127.1',
  '127.255.0.1',
  'localhost',
  'LOCALHOST.',
  'shop.localhost',
  '[::1]:80',
])('%s is this machine', (host) => expect(isLoopback(new URL(`http://${host}/hooks`))).toBe(true));

test.each([
  '127.evil.example',
  '127.0.0.1.example',
  'localhost.example',
  '128.0.0.1',
  '0.0.0.0',
  '[::2]',
  '10.0.0.1',
])('%s may be another', (host) => expect(isLoopback(new URL(`http://${host}/hooks`))).toBe(false));
