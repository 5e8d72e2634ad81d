// Where deliveries go: takes every body and answers 200. Asked, it tells its port or what came since it was asked last.
import { createServer } from 'node:http';
import { answering } from './responding.js';

const fresh = () => ({ requests: 0, bytes: 0, connections: 0 });
let seen = fresh();

const server = createServer((request, response) => {
  request.on('data', (chunk) => {
    seen.bytes += chunk.length;
  });
  request.on('end', () => {
    seen.requests += 1;
    response.end('ok');
  });
});
server.on('connection', () => {
  seen.connections += 1;
});
const listening = new Promise((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

answering(async (question) => {
  if (question === 'port') return listening;
  const told = seen;
  seen = fresh();
  return told;
});
