// What library.js does, for a user of CommonJS.
const { createSandbox } = require('pix-sandbox');
const { createReceiver } = require('pix-sandbox/testing');
const { webhookKey } = require('pix-sandbox/signing');

async function main() {
  const sandbox = await createSandbox({ seed: '7' });
  const secret = sandbox.env.SANDBOX_WEBHOOK_SECRET;
  const receiver = createReceiver({ secret });
  sandbox.forwardTo(receiver);
  await sandbox.charges.create({ code: 'order-1', amount: '10.00' });
  await sandbox.charges.settle('order-1');
  const { type, data } = await receiver.waitFor('pix.settled');
  await sandbox.close();
  console.log(JSON.stringify({ type, amount: data.object.amount, hasKey: webhookKey(secret).length > 0 }));
}

void main();
