/** The questions of an order and of a payment link: each answer is checked when it is given, and there is a way back. */

import { expect, test } from 'vitest';
import { sit } from '../harness/person.ts';
import { sentTo, startCreations } from '../harness/service.ts';

const esc = '\x1b';

test('an answer that cannot be sent is refused at its question: decimals that nobody declared, and a time in the past', async () => {
  await using desk = await startCreations();
  const person = sit(['checkout', 'create'], desk, 200);
  await person.answer('What is the charge for?', 'Repair\r');
  await person.answer('Currency', 'MXN\r');
  await person.answer('Item: its name', 'Lamp:450.50:1\r');
  await person.answer('Lamp:450.50:1: the profile declares no decimals for MXN', '\x15Lamp repair\r');
  await person.answer('Price of Lamp repair', '450.50\r');
  await person.answer('450.50: the profile declares no decimals for MXN', '\x1545050\r');
  await person.answer('How many? (Enter: 1)', '\r');
  await person.answer('Another item', '\r');
  await person.answer('Expires', '450\r');
  await person.answer('it would expire in the past', '\x157d\r');
  await person.answer('Allowed ways to pay', '\r');
  await person.answer('Add a customer, installments or a plan?', 'n\r');
  await person.answer('Send it?', 'y\r');
  const { code, screen } = await person.leaves;
  expect(code, screen).toBe(0);
  expect(sentTo(desk)).toMatchObject([
    { body: { order_template: { line_items: [{ name: 'Lamp repair', unit_price: 45_050, quantity: 1 }] } } },
  ]);
});

test('an order refuses at once a shipping amount, an address and a detail that it cannot have', async () => {
  await using desk = await startCreations();
  const person = sit(['orders', 'create'], desk, 200);
  await person.answer('Currency', 'MXN\r');
  await person.answer('Item: its name', 'Lamp:300\r');
  await person.answer('Another item', '\r');
  await person.answer('Id of the customer', '\r');
  await person.answer('Add a checkout?', '\x1b[B\r');
  await person.answer('What is the charge for?', '\r');
  await person.answer('URL after success', 'thanks\r');
  await person.answer('not a URL', '\x15\r');
  await person.answer('URL after failure', '\r');
  for (const next of ['Expires', 'Allowed ways to pay', 'Monthly installments', 'Id of the plan'])
    await person.answer(next, '\r');
  await person.answer('Ask for the shipping address?', '\r');
  await person.answer('May the checkout keep the card?', '\r');
  await person.answer('Add item details', 'y\r');
  await person.answer('Description', '2=Brass\r');
  await person.answer('there is no item 2, only 1', '\x15\r');
  for (const next of ['Sku', 'Category', 'Tag']) await person.answer(next, '\r');
  await person.answer('Amount of a shipping line', '9.90\r');
  await person.answer('the profile declares no decimals for MXN', '\x03');
  await person.leaves;
  expect(sentTo(desk)).toEqual([]);
});

test('Esc goes back one question, also from the last one, and the answers before it stay', async () => {
  await using desk = await startCreations();
  const person = sit(['checkout', 'create'], desk, 200);
  await person.answer('What is the charge for?', esc);
  await person.waitFor('there is nothing to go back to from here');
  await person.answer('What is the charge for?', 'Repair\r');
  await person.answer('Currency', esc);
  await person.answer('(Enter: Repair)', '\r');
  await person.answer('Currency', 'MXN\r');
  await person.answer('Item: its name', 'Lamp\r');
  await person.answer('Price of Lamp', '<\r');
  await person.answer('(Enter: Lamp)', 'Blanket\r');
  await person.answer('Price of Blanket', '300\r');
  await person.answer('How many?', '\r');
  await person.answer('Another item', '\r');
  await person.answer('Expires', '\r');
  await person.answer('Allowed ways to pay', '\r');
  await person.answer('Add a customer, installments or a plan?', 'n\r');
  await person.answer('Send it?', esc);
  await person.answer('Add a customer, installments or a plan?', '<\r');
  await person.answer('Allowed ways to pay', 'card\r');
  await person.answer('Add a customer, installments or a plan?', 'n\r');
  await person.answer(/pay by {2}card[\s\S]*Send it\?/, 'y\r');
  const { code, screen } = await person.leaves;
  expect(code, screen).toBe(0);
  expect(sentTo(desk)).toMatchObject([
    {
      body: {
        name: 'Repair',
        allowed_payment_methods: ['card'],
        order_template: { line_items: [{ name: 'Blanket', unit_price: 300, quantity: 1 }], currency: 'MXN' },
      },
    },
  ]);
});
