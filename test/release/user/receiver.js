// A user's receiver: verifies each webhook and tells, one line of JSON each, what it thinks of it.
import { createServer } from 'node:http';
import { verifyWebhook } from 'pix-sandbox/signing';

const tell = (value) => console.log(JSON.stringify(value));

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const verdict = verifyWebhook({
    body,
    headers: request.headers,
    secrets: process.env.SANDBOX_WEBHOOK_SECRET,
    nowS: Date.now() / 1000,
  });
  if (verdict.ok) tell({ verified: true, type: JSON.parse(body.toString()).type });
  else tell({ verified: false, cause: verdict.cause });
  response.writeHead(verdict.ok ? 200 : 400).end();
});
server.listen(0, '127.0.0.1', () => tell({ port: server.address().port }));
