/** A slip is never a success: a long option with one dash, three or none, with another dash or a colon, and help beside a yes. */

import { expect, test } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { helpOf, optionsOf } from '../harness/help-text.ts';
import { chargeOf, orderOf } from '../harness/orders.ts';
import { startService } from '../harness/service.ts';

const refund = ['orders', 'refund', 'ord_1'];
const slips = (name: string): readonly (readonly string[])[] => [
  [`-${name}`, '1'],
  [`-${name}=1`],
  [name, '1'],
  [`${name}=1`],
  [`---${name}`, '1'],
  [`\u2014${name}`, '1'],
  [`\u2013${name}=1`],
  [`--${name}:1`],
];
const startDesk = () => startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
const changing = commands.filter(({ changes }) => changes !== undefined);

test.each(changing.map(({ words }) => [words.join(' ')]))(
  '%s: no slip at one of its options changes anything',
  async (line) => {
    await using service = await startDesk();
    const words = line.split(' ');
    const codes = new Set<number | null>();
    for (const { name } of optionsOf(await helpOf(words), true)) {
      for (const slip of slips(name)) {
        const { code } = await service.run([...words, 'ord_1', ...slip, '--yes', '--no-input']);
        codes.add(code);
      }
    }
    expect(codes).not.toContain(0);
    expect(service.posts).toEqual([]);
  },
);

test.each([
  ['-charge 1 --yes', 'did you mean: paydesk orders refund ord_1 --charge 1 --yes\n'],
  ['-yes', 'did you mean: paydesk orders refund ord_1 --yes\n'],
  ['-chrage=1 -reason other --yes', 'paydesk orders refund ord_1 --charge=1 --reason other --yes\n'],
  ['\u2014charge 1 --yes', 'did you mean: paydesk orders refund ord_1 --charge 1 --yes\n'],
  ['-charge 1 --api-kye abc', 'did you mean: --charge\n'],
  ['-qyh', 'paydesk orders refund --help'],
  ['-json --yes', 'did you mean: paydesk orders refund ord_1 --json --yes\n'],
])('orders refund ord_1 %s: says what is meant, and sends nothing (2)', async (slip, meant) => {
  await using service = await startDesk();
  const { code, stdout, stderr } = await service.run([...refund, ...slip.split(' ')]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`unknown option '${slip.split(/[ =]/)[0]}'`);
  expect(stderr).toContain('certain: nothing was sent');
  expect(stderr).toContain(meant);
  expect(service.requests).toEqual([]);
});

test.each([
  ['--help', '--yes'],
  ['-h', '-qy'],
  ['--help', '--confirm=shop'],
])('orders refund ord_1 %s %s: prints the help, and says that nothing was sent (2)', async (...flags) => {
  await using service = await startDesk();
  const { code, stdout, stderr } = await service.run([...refund, ...flags]);
  expect(code).toBe(2);
  expect(stdout).toContain('Refund an order');
  expect(stderr).toContain('certain: nothing was sent');
});

test('a yes beside --version is no success, and help beside a yes to a command that only reads is one', async () => {
  await using service = await startDesk();
  expect((await service.run([...refund, '--version', '--yes'])).code).toBe(2);
  expect((await service.run(['orders', 'list', '--help', '--yes'])).code).toBe(0);
});

test('a note may begin with a dash', async () => {
  await using service = await startDesk();
  const { code } = await service.run([...refund, '--note', '-hi', '--dry-run', '--json']);
  expect(code).toBe(0);
});
