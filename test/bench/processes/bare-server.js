// The yardstick of starting: the least that node answers HTTP with.
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"live":true}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`{"url":"http://127.0.0.1:${server.address().port}"}\n`);
});
