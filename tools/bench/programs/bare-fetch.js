// What a script of a few lines does: one fetch, one line an order.
const { BASE_URL, API_KEY } = process.env;
const response = await fetch(`${BASE_URL}/orders`, { headers: { authorization: `Bearer ${API_KEY}` } });
const { data } = await response.json();
for (const { id, payment_status, amount, currency } of data)
  console.log(`${id}  ${payment_status}  ${amount} ${currency}`);
