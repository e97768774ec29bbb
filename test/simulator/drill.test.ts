/** The drill: seven cases, solved with the real commands, and judged by what the orders of the demo show. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';

interface Drill {
  readonly passed: number;
  readonly said: string | null;
  readonly cases: readonly { readonly passed: boolean; readonly hints: number }[];
  readonly case: {
    readonly number: number;
    readonly text: readonly string[];
    readonly hints: readonly string[];
    readonly file: string | null;
  } | null;
}

interface Trainee {
  readonly home: Home;
  readonly drill: (...flags: readonly string[]) => Promise<Drill>;
  readonly demo: (...words: readonly string[]) => Promise<Ran>;
  /** The ids of the orders of the case at hand, in the order in which its text names them. */
  readonly orders: (at: Drill) => Promise<readonly string[]>;
}

function trainee(home: Home): Trainee {
  const demo: Trainee['demo'] = (...words) => paydesk(['-p', 'demo', ...words, '--no-input'], { home });
  return {
    home,
    demo,
    async drill(...flags) {
      const ran = await paydesk(['simulator', 'drill', ...flags, '--json'], { home });
      expect(ran.code, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout) as Drill;
    },
    async orders({ case: at }) {
      const named = (at?.text ?? []).join(' ').match(/D-\d{5}|ord_\w{17}/g) ?? [];
      const ids = named.map(async (name) => {
        if (name.startsWith('ord_')) return name;
        const found = JSON.parse((await demo('orders', 'find', name, '--json')).stdout) as {
          readonly data: readonly { readonly id: string }[];
        };
        return found.data[0]?.id ?? '';
      });
      return await Promise.all(ids);
    },
  };
}

let desk: Trainee;
beforeEach(() => {
  desk = trainee(newHome());
  return () => desk.home[Symbol.dispose]();
});

// How each case is solved. Returns the exit codes of the changes.
const solutions: readonly ((desk: Trainee, ids: readonly string[]) => Promise<readonly (number | null)[]>)[] =
  [
    async ({ demo }, [, second = '']) => [(await demo('orders', 'refund', second, '--yes')).code],
    async ({ demo }, [id = '']) => [(await demo('orders', 'refund', id, '--charge', '2', '--yes')).code],
    async ({ demo }, [id = '']) => [
      (await demo('orders', 'refund', id, '--charge', '1', '--amount', '1800', '--yes')).code,
    ],
    async ({ demo }, [id = '']) => [
      (await demo('orders', 'refund', id, '--charge', '1', '--amount', '4000', '--yes')).code,
    ],
    async ({ demo, drill }, [id = '']) => {
      expect((await drill()).said).toMatch(/^case 5 is not done yet/);
      return [(await demo('orders', 'refund', id, '--charge', '1', '--amount', '5000', '--yes')).code];
    },
    async ({ demo, drill }, [id = '']) => {
      const first = await demo('orders', 'refund', id, '--yes');
      const { said } = await drill();
      expect(said).toMatch(/^case 6 is not done yet/);
      return [first.code, (await demo('orders', 'refund', id, '--yes')).code];
    },
    async ({ demo, drill, home }) => {
      const { case: at } = await drill();
      const file = String(at?.file);
      const wrong = await demo('refunds', 'plan', file);
      const rows = readFileSync(join(home.path, file), 'utf8').split('\n');
      expect(wrong.stderr).toMatch(
        /line 3: amount 2,500.*line 4: line 2 may refund the same.*line 5: .*refunded/s,
      );
      const [titles = '', one = '', two = ''] = rows;
      writeFileSync(join(home.path, file), [titles, one, two.replace('2,500', '2500'), ''].join('\n'));
      const planned = await demo('refunds', 'plan', file, '--to', 'd.plan');
      return [planned.code, (await demo('refunds', 'apply', 'd.plan', '--yes')).code];
    },
  ];

it('a trainee who solves all seven cases gets seven of seven, and a result to file', async () => {
  let at = await desk.drill();
  for (const [index, solve] of solutions.entries()) {
    expect(at.case?.number).toBe(index + 1);
    const codes = await solve(desk, await desk.orders(at));
    expect(codes.every((code) => code === 0)).toBe(true);
    at = await desk.drill();
    expect(at.said).toMatch(new RegExp(`^case ${index + 1}, .*: right`));
  }
  expect(at).toMatchObject({ case: null, passed: 7 });
  const filed = await paydesk(['simulator', 'drill', '--to', 'ana.json'], { home: desk.home });
  expect(filed.stdout).toBe('ana.json: 7 of 7 cases right\n');
  expect(JSON.parse(readFileSync(join(desk.home.path, 'ana.json'), 'utf8'))).toMatchObject({
    object: 'drill',
    passed: 7,
    total: 7,
  });
});

describe('what is not right', () => {
  it.each([
    ['both payments of one buyer go back', 0, ['', '--again-anyway']],
    ['the whole order where one card was meant', 1, ['']],
    ['all of an order where a part was too much', 2, ['']],
    [
      'the same part twice, because a reply was lost',
      3,
      ['--charge 1 --amount 4000', '--charge 1 --amount 4000 --again-anyway'],
    ],
    ['money that a colleague has given back already', 4, ['--charge 1 --amount 20000 --again-anyway']],
  ])('%s', async (_, skipped, refunds) => {
    await desk.drill();
    for (let count = 0; count < skipped; count += 1) await desk.drill('--skip');
    const ids = await desk.orders(await desk.drill('--hint'));
    for (const [index, flags] of refunds.entries()) {
      const id = ids[index] ?? ids[0] ?? '';
      const again = (await Promise.all(ids.map((one) => namesOf(desk, one)))).filter(Boolean).join(',');
      const words = flags.replace('--again-anyway', again === '' ? '' : `--again ${again}`);
      const ran = await desk.demo('orders', 'refund', id, ...words.split(' ').filter(Boolean), '--yes');
      expect(ran.code, ran.stderr).toBe(0);
    }
    const { said, cases, passed } = await desk.drill();
    expect(said).toMatch(/: not right\. Right is: ord_.*refunded: ord_/);
    expect([passed, cases.at(-1)]).toMatchObject([0, { passed: false, hints: 1 }]);
  });
});

it('a refund of another order changes nothing about a case, and --to judges it first', async () => {
  const [one = ''] = await desk.orders(await desk.drill());
  for (const words of [
    ['ord_2tQ7zRk9PwE5xNvAm', '--charge', '2'],
    [one, '--charge', '1'],
  ])
    expect((await desk.demo('orders', 'refund', ...words, '--yes')).code).toBe(0);
  const order = JSON.parse((await desk.demo('orders', 'show', one, '--json')).stdout) as {
    readonly created_at: number;
    readonly charges: { readonly data: readonly { readonly paid_at: number }[] };
  };
  expect(order.charges.data[0]?.paid_at).toBeGreaterThan(order.created_at);
  const filed = await paydesk(['simulator', 'drill', '--to', 'ana.json'], { home: desk.home });
  expect(filed.stdout).toMatch(
    /^ana\.json: 1 of 7 cases right, 6 to go\n\ncase 1, a double charge: right [\s\S]+case 2 of 7: [\s\S]+simulator drill; if you are stuck/,
  );
});

it('where either of two is right, both are named', async () => {
  await desk.drill();
  expect((await desk.drill('--skip')).said).toMatch(
    /Right is: ord_\w+ 16000, ord_\w+ 0; or ord_\w+ 0, ord_\w+ 16000/,
  );
});

it('a case of which nothing was done stays, hints come one by one, and a result needs a drill', async () => {
  const none = await paydesk(['simulator', 'drill', '--to', 'a.json'], { home: desk.home });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no drill has begun')]);
  await desk.drill();
  expect((await desk.drill()).said).toMatch(/^case 1 is not done yet/);
  expect((await desk.drill('--hint')).case?.hints).toHaveLength(1);
  expect((await desk.drill('--hint')).case?.hints).toHaveLength(2);
  expect((await desk.drill('--hint')).case?.hints).toHaveLength(2);
  const both = await paydesk(['simulator', 'drill', '--hint', '--skip'], { home: desk.home });
  expect(both.code).toBe(2);
  expect((await desk.drill('--restart')).case).toMatchObject({ number: 1, hints: [] });
});

it('the screen of a case stays within 24 lines of 80 columns', async () => {
  const { stdout } = await paydesk(['simulator', 'drill'], { home: desk.home, env: { PAYDESK_WIDTH: '80' } });
  expect(stdout.split('\n').length).toBeLessThan(24);
  expect(stdout).toMatch(/^case 1 of 7: a double charge\n {2}Marta Solís writes: /);
});

// The refunds of an order, as --again takes them.
async function namesOf({ demo }: Trainee, id: string): Promise<string> {
  const { charges } = JSON.parse((await demo('orders', 'show', id, '--json')).stdout) as {
    readonly charges: {
      readonly data: readonly {
        readonly refunds: { readonly data: readonly { readonly id: string }[] } | null;
      }[];
    };
  };
  return charges.data.flatMap(({ refunds }) => refunds?.data.map((one) => one.id) ?? []).join(',');
}
