/** Slips as people make them: typos, words in another order, pasted rubbish. Each is a right guess or a clear error, and nothing is sent. */

import { expect, test } from 'vitest';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { startService } from '../harness/service.ts';

const id = 'ord_2tQ7zRk9PwE5xNvAm';
const refund = `did you mean: paydesk orders refund ${id}`;
const startDesk = () =>
  startService({ orders: [orderOf(id, [chargeOf('ch_1', 35000), chargeOf('ch_2', 17000)])] });

test.each([
  // Typos, and other words.
  ['orders refnd ID --yes', refund],
  ['ordres refund ID --yes', refund],
  ['order refund ID --yes', refund],
  ['refund ID --yes', refund],
  ['reverse ID --yes', refund],
  ['orders refund ID --chrage 1 --yes', '--charge'],
  ['orders refund ID --reason duplicate --yes', 'did you mean --reason duplicated_transaction?'],
  ['orders refund ID --YES', `${refund} --yes`],
  ['orders refund ord_2tQ7zRk9PwE5xNvAn --yes', `did you mean ${id}, Buyer Name, 52000 MXN?`],
  ['limits', 'or: paydesk journal list --kind setting'],
  ['unconfirmed', 'did you mean: paydesk journal list --open'],
  ['approve ID --yes', 'did you mean: paydesk approvals approve'],
  // In Spanish, and as a phone writes it.
  ['pedidos reembolsar ID --yes', refund],
  ['reembolso ID --yes', refund],
  ['ordenes capturar ID --yes', `did you mean: paydesk orders capture ${id}`],
  ['hoy', 'did you mean: paydesk today'],
  ['orders refund ID —charge 1 --yes', `${refund} --charge 1 --yes`],
  ['orders refund ID --charge 1 —yes', `${refund} --charge 1 --yes`],
  ['orders refund ID –-charge 1 --yes', `${refund} --charge 1 --yes`],
  ['orders refund ID -–charge 1 --yes', `${refund} --charge 1 --yes`],
  ['orders refund ID --charge 1 --amount $15 --yes', "in the unit of the order's amount, such as 15 MXN"],
  ['orders refund ID --charge all --yes', 'has no charge all'],
  ['orders show ID --for-buyer --lang spanish', '--lang es: Spanish\n'],
  ['checkout create --shipping 100 --yes', '--shipping is an option of orders create\n'],
  ['refund undo --yes', 'paydesk undo says what can still be done about the last change'],
  [
    'refunds apply fri.plan --yes',
    'there is no plan in that folder; to make one: paydesk refunds plan FILE.csv\n',
  ],
  ['orders refund ID --allocate --amount 100 --yes', 'its values: in-order, largest-first'],
  ['orders list --today', 'did you mean: --period today\n'],
  ['orders list --last 7d', 'did you mean: --period\n'],
  ['refunds list --from yesterday', 'did you mean: --since\n'],
  ['orders list --before today', 'did you mean: --until\n'],
  ['checkout create --name Lamp --amount 100 --yes', 'the price is part of the item: --item NAME:PRICE'],
  ['orders list --untill today', 'did you mean: --until\n'],
  ['orders list --status pad', 'did you mean: --status paid'],
  ['orders refund ID --charge 1 --amount “100” --yes', 'type 100'],
  ['orders refund ID --charge 1 --amount “100\u00a0” --yes', 'type 100'],
  ['orders refund ID --charge 1 --amount 1,000 --yes', 'now:     type 1000\n'],
  ['orders refund ID --charge 1 --reason “Other” --yes', 'did you mean --reason other?'],
  ['orders\u00a0refund ID --yes', refund],
  // Pasted as one word.
  ['orders refund ID --charge=1,--amount 100 --yes', `${refund} --charge=1 --amount 100 --yes`],
  ['orders refund ID --charge 1,--amount=100 --yes', `${refund} --charge 1 --amount=100 --yes`],
  [
    'orders refund ID --charge=1;--amount=100,--reason=other --yes',
    `${refund} --charge=1 --amount=100 --reason=other --yes`,
  ],
  ['orders refund ID --charge=1--amount=100 --yes', `${refund} --charge=1 --amount=100 --yes`],
  ['orders refund ID,--charge 1 --yes', `${refund} --charge 1 --yes`],
  // Words in another order, or under another noun.
  ['refund orders ID --yes', refund],
  ['ID refund --yes', refund],
  ['orders ID refund --yes', refund],
  ['customers refund ID --yes', refund],
  ['refunds refund ID --yes', refund],
  ['checkout capture ID --yes', `did you mean: paydesk orders capture ${id}`],
  ['orders refund ID 100 --yes', `did you mean: paydesk orders refund ${id} --amount 100`],
  ['orders refund wool 85 --yes', "did you mean: paydesk orders refund 'wool 85' --yes"],
  ['orders refund ana torres 85 --yes', "did you mean: paydesk orders refund 'ana torres 85' --yes"],
  ['orders refund order ID --yes', 'too many arguments'],
  ['orders refund ID amount 100 --yes', `${refund} --amount 100 --yes`],
  ['orders refund ID charge 1 --dry-run', `${refund} --charge 1 --dry-run`],
  ['orders list limit 3', 'did you mean: paydesk orders list --limit 3'],
  ['orders show ID json', `did you mean: paydesk orders show ${id} --json`],
  // Glued together, in capitals, with the prompt and the program in front.
  ['orders-refund ID --yes', refund],
  ['orders.refund ID --yes', refund],
  ['orders:refund ID --yes', refund],
  ['ORDERS REFUND ID --yes', refund],
  ['$ paydesk orders refund ID --yes', refund],
  ['paydesk orders refund ID --yes', refund],
  ['npx paydesk orders list', 'did you mean: paydesk orders list'],
  ['orders_refund_ID --yes', 'unknown command'],
  // A value that is missing, and amounts as they stand elsewhere.
  ['orders refund ID --charge --yes', '--charge has no value: --yes is an option'],
  ['orders refund ID --amount --yes', '--amount has no value: --yes is an option'],
  ['orders refund ID --note --yes', '--note has no value: --yes is an option'],
  ['orders refund ID --charge 1 --amount $100 --yes', 'type it with the currency in three letters behind it'],
  ['orders refund ID --charge 1 --amount -100 --yes', 'type it without a sign: 100'],
  ['orders refund ID --amount 100 --yes', 'has 2 charges: say which one --amount is for'],
  ['orders refund ID --charge 4242 --yes', 'has 2 charges 4242'],
  ['orders refund ID --charge 1; --yes', 'has no charge 1;'],
  // Pasted.
  ['orders refund ID 35000 MXN paid 28 Nov --yes', 'too many arguments'],
  ['orders refund ID,ord_9aaaaaaaaaaaaaaaa --yes', 'not the id of an order'],
  ['orders refund ID ord_9aaaaaaaaaaaaaaaa --yes', 'too many arguments'],
  ['orders refund <ORDER> --yes', 'not the id of an order'],
  ['orders refund all --yes', 'not the id of an order'],
  ['orders refund cus_2tQ7zRk9PwE5xNvAm --yes', 'not the id of an order'],
  ['ID&& orders refund ID --yes', 'unknown command'],
  ['orders refund #A-10023 --yes', 'paydesk orders find A-10023'],
  ['orders refund ord_2tQ7z…E5xNvAm --yes', 'paydesk orders find ord_2tQ7z E5xNvAm'],
  ['orders refund mailto:ana@example.com --yes', 'paydesk orders find mailto ana@example.com'],
  // A value without its flag, a flag that is none, and an amount that a guess must not lose.
  ['refund 10 ID --yes', `did you mean: paydesk orders refund --amount 10 ${id} --yes`],
  ['refund ID 10 MXN --yes', 'did you mean: paydesk orders refund --help'],
  ['orders refund ID --charge 1 --amount 0 --yes', 'zero is no amount; type one above 0'],
  ['orders refund ID --charge 1 --amount 50% --yes', 'a percentage is no amount; type how much it is'],
  ['orders refund ID --charge 1 --amount full --yes', 'leave --amount out for all of it'],
  ['orders refund ID --charge 1 --amount 1.234,50 --yes', 'declares no decimals'],
  ['orders --refund ID', `did you mean: paydesk orders refund ${id}`],
  ['orders ID', `did you mean: paydesk orders show ${id}`],
  ['orders A-99998', 'did you mean: paydesk orders find A-99998'],
  ['today --period yesterday', '--period is an option of orders list, '],
  ['orders refund ID --charges 2 --yes', 'did you mean: --charge'],
  ['orders export --refunds', 'paydesk orders export --rows refunds'],
  ['journal settle i_1 --not-made', 'did you mean: --not-applied'],
  ['orders list --format csv', 'did you mean: --output'],
  ['orders refund ID --amount 40000 --yes', `paydesk orders refund ${id} --amount 40000 --allocate in-order`],
  ['orders summary --customer cus_1', 'the orders of a customer, with their sums: paydesk orders find'],
  ['orders --limit 5', '--limit is an option of orders list, '],
  ['orders list --name torres', 'did you mean: paydesk orders find torres'],
  ['orders list ana', 'did you mean: paydesk orders find ana'],
  ['-p list orders list ana', 'did you mean: paydesk -p list orders find ana'],
  ['orders find --email ana@example.com', 'did you mean: paydesk orders find ana@example.com'],
  ['orders find --amount 280701', 'did you mean: paydesk orders find 280701'],
  ['orders export refunds', 'did you mean: paydesk orders export --rows refunds'],
  ['refunds export --to x.csv', 'did you mean: paydesk orders export --rows refunds --to x.csv'],
  ['--columns demo demo orders list', 'did you mean: paydesk --columns demo -p demo orders list'],
  ['demo orders list', 'did you mean: paydesk -p demo orders list --no-input\n'],
  ['refunds run march.csv', 'did you mean: paydesk refunds plan march.csv'],
  ['refunds march.csv', 'did you mean: paydesk refunds plan march.csv'],
  ['orders list --period yesteday', 'did you mean --period yesterday?'],
  ['orders list --period 27.11.2026', 'did you mean --period 2026-11-27?'],
  ['orders list --period 05/11/2026', 'did you mean --period 2026-11-05?'],
  ['orders list --refunded', 'did you mean: --status refunded'],
  ['orders capture ID --amount 100', 'captured as a whole'],
  ['-demo orders list', 'did you mean: -p demo'],
  ['list orders', 'did you mean: paydesk orders list'],
  ['find orders torres', 'did you mean: paydesk orders find torres'],
  ['orders refund --order ID --yes', refund],
  ['orders refund --id=ID --yes', refund],
  ['journal list ID', `did you mean: paydesk journal list --order ${id}`],
  ['orders list paid', 'did you mean: paydesk orders list --status paid'],
  ['orders list buyer@example.com', 'did you mean: paydesk orders list --customer buyer@example.com'],
])('%s: says what is meant, and sends nothing', async (line, says) => {
  await using service = await startDesk();
  const words = line.replaceAll('ID', id).split(' ');
  const { code, stdout, stderr } = await service.run([...words, '--no-input']);
  expect([2, 3, 5]).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).toContain(says);
  expect(service.posts).toEqual([]);
});

test.each([
  ['with blanks and quotes', [` “${id}” `]],
  ['with a comma behind it', [`${id},`]],
  ['as id=ID', [`id=${id}`]],
  ['as Order: ID', [`Order: ${id}`]],
  ['in the address of a page', [`https://desk.example/orders/${id}?tab=1`]],
  ['in the address of a page, in brackets', [`<https://desk.example/orders/${id}>`]],
  ['in capitals', [id.toUpperCase()]],
  ['by its end', [id.slice(-9)]],
])('an id %s is that order', async (_, typed) => {
  await using service = await startDesk();
  const { code, stdout } = await service.run(['orders', 'show', ...typed, '--no-input', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id });
});

test.each([
  ['in quotes of a phone', ['“Buyer', 'Name”']],
  ['with a comma', ['name,', 'buyer;']],
  ['an address in brackets', ['<buyer@example.com>']],
  ['the end of a masked card', ['****', '4242']],
  ['the end of a masked card, with dots', ['•••• •••• •••• 4242']],
  ['the end of a masked card, with letters', ['xxxx4242']],
])('words %s are found', async (_, typed) => {
  await using service = await startDesk();
  const { code, stdout } = await service.run(['orders', 'find', ...typed, '--no-input', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ data: [{ id }] });
});

test('four digits in place of the order are never offered as an amount', async () => {
  await using service = await startDesk();
  const { code, stderr } = await service.run(['orders', 'refund', '8431', 'torres', '--yes', '--no-input']);
  expect(code).toBe(2);
  expect(stderr).not.toContain('--amount');
});

test.each(['2', '“2”', '\u00a02', "'2'"])('a charge may stand in quotes and blanks: %s', async (typed) => {
  await using service = await startDesk();
  const { code, stdout } = await service.run([
    'orders',
    'refund',
    id,
    '--charge',
    typed,
    '--dry-run',
    '--no-input',
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"charge_id":"ch_2"')]);
});

test('an option may be a value where somebody says so with =', async () => {
  await using service = await startDesk();
  const { code, stderr } = await service.run([
    'orders',
    'refund',
    id,
    '--note=--yes',
    '--dry-run',
    '--no-input',
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('--yes')]);
});

test('a status may be typed as it is spoken, and as a narrow table shows it', async () => {
  const orders = ['paid', 'partially_refunded'].map((status, index) =>
    orderOf(`ord_${index}`, [chargeOf(`ch_${index}`, 100)], { payment_status: status }),
  );
  await using service = await startService({ orders });
  for (const status of ['partially refunded', 'Partially-Refunded', 'part_ref']) {
    const { stdout } = await service.run(['orders', 'list', '--status', status, '--json']);
    const { data } = JSON.parse(stdout) as { readonly data: readonly { readonly id: string }[] };
    expect(data.map(({ id: found }) => found)).toEqual(['ord_1']);
  }
});

test.each([
  ['the buyer asked for it', 'requested_by_client'],
  ['customer asked', 'requested_by_client'],
  ['cliente', 'requested_by_client'],
  ['otro', 'other'],
  ['charged twice', 'duplicated_transaction'],
])('a reason may be meant in other words: %s', async (reason, meant) => {
  await using service = await startDesk();
  const words = ['orders', 'refund', id, '--reason', reason, '--yes'];
  const { code, stderr } = await service.run(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean --reason ${meant}?`)]);
  expect(service.requests).toEqual([]);
});
