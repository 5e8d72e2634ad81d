// Creates an order, as a customer does: node order.mjs <code> [amount]
const [code, amount = '10.00'] = process.argv.slice(2);
const response = await fetch(`http://localhost:3000/orders/${code}`, {
  method: 'PUT',
  body: JSON.stringify({ amount }),
});
if (!response.ok) throw new Error(`The order was refused with ${response.status}: ${await response.text()}`);
