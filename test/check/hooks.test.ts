import { describe, expect, test } from 'vitest';
import { orderBy, probeBy, restartBy } from '../../src/check/hooks.js';
import { OrderError } from '../../src/check/order.js';
import { RestartError } from '../../src/check/plan/restart.js';
import { Observer, ProbeError } from '../../src/check/probe/observer.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const WHERE = { cwd: '/', env: { ...process.env, SHOP: 'open' } };
const SUBJECT = { code: 'check-abc123-0001', id: '11111111-1111-4111-8111-111111111111' };
const { signal } = new AbortController();

describe('commands of the user', () => {
  test('a probe prints what its command prints, with code, id and environment filled in', async () => {
    const probe = probeBy('printf "%s %s $SHOP" {code} {id}', WHERE);
    expect(await probe(SUBJECT, signal)).toBe(`${SUBJECT.code} ${SUBJECT.id} open`);
  });

  test('a probe that ends with an error is an answer; one that does not exist is none', async () => {
    expect(await probeBy('echo {code}; exit 22', WHERE)(SUBJECT, signal)).toBe(`exit 22\n${SUBJECT.code}\n`);
    const missing = await rejectionOf(probeBy('no-such-probe {code}', WHERE)(SUBJECT, signal), ProbeError);
    expect(missing.message).toContain('cannot be run');
    const url = 'http://127.0.0.1:1/orders/{code}';
    await rejectionOf(probeBy(url, WHERE)(SUBJECT, signal), ProbeError);
  });

  test('a probe that prints another order is refused', async () => {
    const observer = new Observer(probeBy('echo {code} check-abc123-0002', WHERE), signal);
    const error = await rejectionOf(observer.read(SUBJECT), ProbeError);
    expect(error.message).toContain('prints check-abc123-0002, too');
  });

  test('a restart that fails says how', async () => {
    const failed = await rejectionOf(restartBy('exit 3', WHERE)(signal), RestartError);
    expect(failed.message).toBe('The restart command ended with 3.');
    await restartBy('true', WHERE)(signal);
  });

  test('an order that fails says how; one that is stopped ends with all that it started', async () => {
    const failed = await rejectionOf(
      orderBy('echo sold out >&2; exit 3', WHERE)(SUBJECT, signal),
      OrderError,
    );
    expect(failed.message).toBe('The order command ended with 3: sold out');
    const stopping = new AbortController();
    const stopped = orderBy('sleep 60 | cat', WHERE)(SUBJECT, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
