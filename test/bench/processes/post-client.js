// The yardstick of deliveries: node:http over kept connections, and nothing else.
import { Agent, request } from 'node:http';
import { answering } from './responding.js';

const headers = {
  'webhook-id': `evt_${'0'.repeat(32)}`,
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
  'user-agent': 'PixSandbox-Webhooks/bench',
  'content-type': 'application/json',
};

function post(agent, port, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, method: 'POST', host: '127.0.0.1', port, path: '/', headers },
      (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`Expected 200, got ${response.statusCode}.`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

answering(async ({ port, count, inFlight, bytes }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const body = Buffer.alloc(bytes, 'x');
  let left = count;
  const startedAt = performance.now();
  const lane = async () => {
    for (; left > 0; await post(agent, port, body)) left -= 1;
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { seconds };
});
