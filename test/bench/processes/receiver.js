// Where deliveries go: takes every body and answers 200, or 500 to each n-th, where an n is given. Asked, it tells its port or what came since it was asked last.
import { createServer } from 'node:http';
import { answering } from './answering.js';

const refusesEvery = Number(process.argv[2] ?? Infinity);
const fresh = () => ({ requests: 0, refused: 0, bytes: 0, connections: 0 });
let seen = fresh();

const server = createServer((request, response) => {
  request.on('data', (chunk) => {
    seen.bytes += chunk.length;
  });
  request.on('end', () => {
    seen.requests += 1;
    if (seen.requests % refusesEvery === 0) {
      seen.refused += 1;
      response.statusCode = 500;
    }
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
