// What every receiver of webhooks must do, tried with a sandbox. The release gate runs this file as it is, without a compiler.
import assert from 'node:assert/strict';

/** Valid JSON that no serializer writes like this, so a receiver that parses first signs other bytes. */
const ODD = (code) =>
  `\r\n{ "data":{"object":{"id":"${code}", "code" : "${code}","payer_name":"Jos\\u00e9 \u{1F60A} Łukasz",  "amount":1.0}},\t"type":"pix.settled" }\n`;
const LONG_BYTES = 256_000;
const TOO_OLD_S = 301;

/**
 * @typedef {object} Trial
 * @property {string} name Begins the codes of the charges, so that receivers may share an output.
 * @property {import('../../../src/index.js').TestSandbox} sandbox
 * @property {typeof import('../../../src/signing/index.js').signWebhook} signWebhook
 * @property {string | { fetch: (request: Request) => Response | Promise<Response> }} target
 * @property {boolean} takesChunks Whether its server takes bodies without a content-length, as proxies send them.
 * @property {(text: string) => Promise<string>} heard The next line that the receiver prints with this text in it.
 */

/**
 * Throws AssertionError where a receiver does something else than it should.
 * @param {Trial} trial
 */
export async function tryReceiver(trial) {
  const { sandbox, target } = trial;
  const forwarding = sandbox.forwardTo(target);
  try {
    await tryDeliveries(trial);
    await forwarding.stop();
    await tryChecks(trial);
  } finally {
    await sandbox.faults.clear();
    await forwarding.stop();
  }
}

/** What `sandbox check` finds without a probe. */
async function tryChecks({ sandbox, target, takesChunks }) {
  const skip = ['dup', 'new', 'order', 'mix', 'answer.get', ...(takesChunks ? [] : ['accept.chunked'])];
  const { checks } = await sandbox.check({ to: target, skip, strict: true });
  const failed = checks
    .filter(({ applies, verdict }) => applies && verdict !== 'pass')
    .map(({ id, got }) => `${id}: ${got}`);
  assert.deepEqual(failed, [], 'The checks that do not pass');
}

/** What the sandbox sends; other bodies are tried before the last event, which shows that the receiver is still well. */
async function tryDeliveries({ name, sandbox, signWebhook, target, takesChunks, heard }) {
  const settle = async (code) => {
    const { deliveries } = await sandbox.trigger('pix.settled', {
      with: { code: `${name}-${code}` },
      until: 'attempted',
      timeoutMs: 30_000,
    });
    return [deliveries[0]?.status, deliveries[0]?.last_response_status];
  };
  const isHandled = async (code) => assert.equal(await heard(` ${name}-`), `pix.settled ${name}-${code}`);

  assert.deepEqual(await settle('plain'), ['DELIVERED', 200], 'What becomes of an event');
  await isHandled('plain');
  await sandbox.faults.add({ action: 'duplicate', copies: 1 });
  assert.deepEqual(await settle('twice'), ['DELIVERED', 200], 'What becomes of an event sent twice');
  await isHandled('twice');
  await sandbox.faults.clear();
  for (const action of ['wrong-signature', 'stale-timestamp']) {
    await sandbox.faults.add({ action });
    const [status, answer] = await settle(action);
    assert.deepEqual([status, isRefusal(answer)], ['PENDING', true], `The answer to ${action}: ${answer}`);
    await sandbox.faults.clear();
  }
  await sandbox.faults.add({ action: 'two-signatures' });
  assert.deepEqual(await settle('rotated'), ['DELIVERED', 200], 'What becomes of two signatures');
  await isHandled('rotated');
  await sandbox.faults.clear();

  await trySigned({
    name,
    takesChunks,
    isHandled,
    signed: signerOf(sandbox, signWebhook),
    post: (...sent) => post(target, ...sent),
  });
  assert.deepEqual(await settle('last'), ['DELIVERED', 200], 'What becomes of an event after all that');
  await isHandled('last');
}

/** What the sandbox does not send: bodies of other shapes, under headers of our own. */
async function trySigned({ name, takesChunks, isHandled, signed, post }) {
  const odd = ODD(`${name}-odd`);
  const headers = signed(odd);
  const retyped = JSON.stringify(JSON.parse(odd));
  assert.ok(
    isRefusal(await post(retyped, headers)),
    'Other bytes than the signed ones are refused, and their id forgotten',
  );
  for (const time of ['first', 'second']) {
    assert.equal(await post(odd, headers), 200, `The answer to an oddly written body, the ${time} time`);
  }
  await isHandled('odd');
  assert.ok(
    isRefusal(await post(odd, signed(retyped))),
    'A signature of the same JSON in other bytes is refused',
  );
  const object = { id: 'long', code: `${name}-long`, metadata: { note: 'é'.repeat(LONG_BYTES / 2) } };
  const long = JSON.stringify({ type: 'pix.settled', data: { object } });
  const sent = takesChunks ? new Blob([long]).stream() : long;
  assert.equal(await post(sent, signed(long)), 200, `The answer to a body of ${LONG_BYTES} bytes`);
  await isHandled('long');
  const unknown = JSON.stringify({ type: 'pix.refunded', data: [1] });
  assert.equal(
    Math.floor((await post(unknown, signed(unknown))) / 100),
    2,
    'The class of the answer to an unknown type',
  );
  const refused = {
    'no signature': await post(unknown, {}),
    'no body': await post('', signed(unknown)),
    'a timestamp too old': await post(unknown, signed(unknown, -TOO_OLD_S)),
    'a timestamp too new': await post(unknown, signed(unknown, TOO_OLD_S + 1)),
  };
  for (const [what, answer] of Object.entries(refused)) {
    assert.ok(isRefusal(answer), `The answer to ${what} is ${answer}, and not of class 4`);
  }
}

function isRefusal(status) {
  return status >= 400 && status < 500;
}

/** Signs bodies as the sandbox would, `shiftS` seconds from now, each under a webhook-id of its own. */
function signerOf(sandbox, signWebhook) {
  let count = 0;
  return (body, shiftS = 0) => {
    count += 1;
    return signWebhook({
      id: `evt_trial_${count}`,
      timestampS: Math.floor(Date.now() / 1000) + shiftS,
      body: Buffer.from(body),
      secrets: sandbox.env.SANDBOX_WEBHOOK_SECRET,
    });
  };
}

/** Sends a webhook; resolves to the status of the answer. */
async function post(target, body, headers) {
  const all = { 'content-type': 'application/json', ...headers };
  const init = { method: 'POST', body, headers: all, duplex: 'half' };
  if (typeof target === 'string') return (await fetch(target, init)).status;
  return (await target.fetch(new Request('http://receiver.localhost/webhooks', init))).status;
}
