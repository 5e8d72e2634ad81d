// A user's test without a runner: a charge is paid, and the receiver hears of it.
import { createSandbox } from 'pix-sandbox';
import { createReceiver } from 'pix-sandbox/testing';

const sandbox = await createSandbox({ seed: '7' });
const receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
sandbox.forwardTo(receiver);
await sandbox.charges.create({ code: 'order-1', amount: '10.00' });
await sandbox.charges.settle('order-1');
const { type, data } = await receiver.waitFor('pix.settled');
console.log(JSON.stringify({ node: process.versions.node, type, amount: data.object.amount }));
await sandbox.close();
