// Checks the example shop in process: with probe and order, or as a stranger does.
import { createSandbox } from 'pix-sandbox';
import { createShop } from '../../../fixtures/examples/shop/src/shop.js';
import { answering } from './responding.js';

answering(async ({ isProbed }) => {
  const sandbox = await createSandbox();
  try {
    const shop = createShop(sandbox.env, { fulfil: () => {} });
    const hooks = {
      probe: async ({ code }) => (await shop.request(`/orders/${code}`)).text(),
      order: ({ code }) => shop.request(`/orders/${code}`, { method: 'PUT', body: '{"amount":"49.90"}' }),
    };
    const startedAt = performance.now();
    const { summary } = await sandbox.check({ to: shop, ...(isProbed ? hooks : {}) });
    if (summary.fail > 0) throw new Error(`Expected the shop to pass; ${summary.fail} checks failed.`);
    return { seconds: (performance.now() - startedAt) / 1_000, passed: summary.pass };
  } finally {
    await sandbox.close();
  }
});
