// The yardstick of requests: POST answers the JSON that came, and GET the JSON that was PUT there before.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const kept = new Map();
const app = new Hono();
app.post('/echo', async (c) => c.json(await c.req.json(), 201));
app.put('/kept/:name', async (c) => {
  kept.set(c.req.param('name'), await c.req.json());
  return c.json({ kept: true });
});
app.get('/kept/:name', (c) => c.json(kept.get(c.req.param('name'))));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`{"url":"http://127.0.0.1:${port}"}\n`);
});
process.on("SIGTERM", () => process.exit());
