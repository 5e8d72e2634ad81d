import { expect, test } from 'vitest';
import { flushBeforeSend } from '../../../src/http/streams/sse.js';

test('streams entries once they are stored, in their order', async () => {
  const sent: object[] = [];
  const waiting: (() => void)[] = [];
  const flushed = () => new Promise<void>((resolve) => waiting.push(resolve));
  const stream = flushBeforeSend(
    { flushed },
    { send: (event) => sent.push(event), close: () => undefined, hasRoom: () => true, onRoom: () => {} },
  );
  stream.send({ number: 1 });
  stream.send({ number: 2 });
  await Promise.resolve();
  expect(sent).toEqual([]);
  for (const keep of waiting) keep();
  await Promise.resolve();
  expect(sent).toEqual([{ number: 1 }, { number: 2 }]);
});

test('streams entries immediately in a sandbox that stores nothing', () => {
  const sent: object[] = [];
  const stream = flushBeforeSend(
    { flushed: () => undefined },
    { send: (event) => sent.push(event), close: () => undefined, hasRoom: () => true, onRoom: () => {} },
  );
  stream.send({ number: 1 });
  expect(sent).toHaveLength(1);
});
