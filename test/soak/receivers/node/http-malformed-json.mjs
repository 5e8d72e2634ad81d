// JSON.parse in a listener, outside of any try: a body that is not JSON ends the process.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createCharge } from './charge.mjs';

const key = Buffer.from(process.env.SANDBOX_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const orders = {};

function verify(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!id || !/^[0-9]+$/.test(timestamp ?? '') || Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

createServer((req, res) => {
  const code = req.url.split('/')[2]?.split('?')[0];
  if (req.url === '/webhooks' && req.method === 'POST') {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (chunk) => (body += chunk));
    req.on('end', () => {
      if (!verify(req.headers, body)) {
        res.statusCode = 401;
        return res.end('Unauthorized');
      }
      const event = JSON.parse(body);
      if (event.type === 'pix.settled') orders[event.data.object.code] = { status: 'paid' };
      res.end('OK');
    });
  } else if (req.method === 'PUT') {
    orders[code] ??= { status: 'pending' };
    createCharge(code, '10.00').then(() => res.end('created'), () => res.destroy());
  } else {
    if (!orders[code]) res.statusCode = 404;
    res.end(JSON.stringify(orders[code] ?? { error: 'not found' }));
  }
}).listen(process.env.PORT, '127.0.0.1');
