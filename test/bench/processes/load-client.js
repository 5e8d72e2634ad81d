// Asks over kept connections, one request at a time on each. It speaks HTTP over bare sockets and signs ahead, because a slow client would
// measure itself and flatter the slower of two servers.
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { answering } from './responding.js';

const CRLF = '\r\n';
let serial = 0;

/** @param {{ path: string, headers: Record<string, string> }} request */
function getter({ path, headers }) {
  const lines = [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headerLines(headers), '', ''];
  const bytes = Buffer.from(lines.join(CRLF), 'latin1');
  return () => bytes;
}

/**
 * Signed requests that create a new charge each.
 * @param {{ path: string, headers: Record<string, string>, accountId: string, signingSecret: string }} request
 */
function charger({ path, headers, accountId, signingSecret }) {
  const fixed = [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json'];
  const head = [...fixed, ...headerLines(headers)].join(CRLF);
  return () => {
    serial += 1;
    const code = `order-${process.pid}-${serial}`;
    const body = `{"code":"${code}","account_id":"${accountId}","amount":"123.45","payer_document":"52998224725"}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHash('sha256').update(body).digest('hex');
    const signed = `${timestamp}.nonce-${code}-0000.POST.${path}.${digest}`;
    const signature = createHmac('sha256', signingSecret).update(signed).digest('hex');
    const text = `${head}${CRLF}x-timestamp: ${timestamp}${CRLF}x-nonce: nonce-${code}-0000${CRLF}x-signature: ${signature}${CRLF}content-length: ${body.length}${CRLF}${CRLF}${body}`;
    return Buffer.from(text, 'latin1');
  };
}

function headerLines(headers) {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The length of the response at the start of the bytes, or undefined while it is not whole. Throws unless it is a 2xx. */
function responseLength(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.latin1Slice(0, headEnd + 2);
  const length = /\r\ncontent-length: (\d+)\r/i.exec(head)?.[1];
  if (head[9] !== '2' || length === undefined) {
    throw new Error(`Expected a 2xx with a content-length, got:\n${bytes.latin1Slice(0, 1000)}`);
  }
  const whole = headEnd + 4 + Number(length);
  return bytes.length < whole ? undefined : whole;
}

/** Asks on one connection until the deadline; resolves to the answers that came by then. */
function drive(port, next, deadline) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let pending = Buffer.alloc(0);
    let answers = 0;
    const ask = () => socket.write(next());
    socket.on('connect', ask);
    socket.on('data', (chunk) => {
      try {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const length = responseLength(pending);
        if (length === undefined) return;
        pending = pending.subarray(length);
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      if (performance.now() >= deadline) {
        socket.destroy();
        resolve(answers);
        return;
      }
      answers += 1;
      ask();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection.')));
  });
}

answering(async ({ port, connections, seconds, request, ahead }) => {
  const make = request.signingSecret === undefined ? getter(request) : charger(request);
  const made = Array.from({ length: ahead }, make);
  const deadline = performance.now() + seconds * 1000;
  const driven = Array.from({ length: connections }, () => drive(port, () => made.pop() ?? make(), deadline));
  const answers = await Promise.all(driven);
  return answers.reduce((sum, count) => sum + count, 0);
});
