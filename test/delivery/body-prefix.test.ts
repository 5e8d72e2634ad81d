import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyPrefix } from '../../src/delivery/body-prefix.js';

test('keeps the first bytes of the chunks together, and knows whether there were more', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 });
  fc.assert(
    fc.property(chunks, fc.nat(60), (parts, maxBytes) => {
      const whole = Buffer.concat(parts);
      const prefix = new BodyPrefix(maxBytes);
      for (const part of parts) prefix.add(part);
      expect(Buffer.from(prefix.bytes())).toEqual(whole.subarray(0, maxBytes));
      expect(prefix.truncated).toBe(whole.length > maxBytes);
    }),
  );
});

test('holds no memory of the network buffer, and does not change with it', () => {
  const network = Buffer.alloc(64 * 1024, 'x');
  const prefix = new BodyPrefix(1024);
  prefix.add(network.subarray(0, 10));
  network.fill('y');
  expect(Buffer.from(prefix.bytes()).toString()).toBe('x'.repeat(10));
  expect(prefix.bytes().buffer.byteLength).toBe(10);
});
