/** A desk whose journal is of some age, and the commands that are measured there. */

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDesk, type Service } from './desk.ts';
import { changeOfRow, orderIdOf } from './desk-rows.ts';
import { type Place, type Program, run } from './measure.ts';

/** A desk that works with the bench's service. */
export interface AgedDesk {
  /** How many changes its journal had at first. */
  readonly changes: number;
  readonly folder: string;
  readonly paydesk: (args: Program['args']) => Program;
  /** The number of the first of so many orders that nobody has changed yet. */
  readonly newOrders: (count: number) => number;
  /** Makes the service list so many orders from this number on. */
  readonly listAlso: (from: number, count: number) => void;
}

/** Gives each desk orders of its own: the number of the first of so many. A later bench comes to higher numbers. */
export function newOrders(): AgedDesk['newOrders'] {
  let next = Date.now() * 100;
  return (count) => {
    next += count;
    return next - count;
  };
}

/** `newOrders`: the same for all desks of the service. */
export function openAgedDesk(
  { changes, folder, newOrders }: Pick<AgedDesk, 'changes' | 'folder' | 'newOrders'>,
  service: Service,
): AgedDesk {
  const desk = openDesk(folder);
  return {
    changes,
    folder,
    newOrders,
    paydesk: (args) => desk.paydesk(service, args),
    listAlso(from, count) {
      const url = `${service.baseUrl}/list?from=${from}&count=${count}`;
      spawnSync(process.execPath, ['-e', `fetch('${url}')`]);
    },
  };
}

/** Commands by their names, as a desk runs them. */
export type Commands = Readonly<Record<string, (desk: AgedDesk) => Program>>;

// The service has an order authorized and not captured from this number on.
const authorized = 1e15;

/** What an operator waits for. None of them may need more with an older journal. Plans come last: the service lists their orders. */
export const commands: Commands = {
  '`orders list`': ({ paydesk }) => paydesk(['orders', 'list']),
  '`orders show`': ({ paydesk }) => paydesk(['orders', 'show', orderIdOf(40)]),
  '`orders find`': ({ paydesk }) => paydesk(['orders', 'find', 'buyer41@example.com']),
  '`today`': ({ paydesk }) => paydesk(['today']),
  'a TAB behind `orders show`': ({ paydesk }) =>
    paydesk(['__complete', 'bash', '2', 'orders', 'show', 'ord_']),
  '`journal list`': ({ paydesk }) => paydesk(['journal', 'list']),
  '`journal list --open`': ({ paydesk }) => paydesk(['journal', 'list', '--open']),
  '`journal show`': ({ paydesk }) => paydesk(['journal', 'show', changeOfRow(3)]),
  '`journal reconcile ID`': ({ paydesk, changes }) => {
    // Of those that are still watched, each once.
    let back = 0;
    return paydesk(() => {
      back += 1;
      return ['journal', 'reconcile', changeOfRow(changes - back)];
    });
  },
  '`orders refund --yes`': ({ paydesk, newOrders }) =>
    paydesk(() => ['orders', 'refund', orderIdOf(newOrders(1)), '--yes']),
  '`orders capture --yes`': ({ paydesk, newOrders }) =>
    paydesk(() => ['orders', 'capture', orderIdOf(authorized + newOrders(1)), '--yes']),
  '`refunds plan`, 1 row': (desk) => desk.paydesk(() => planning(desk, 1)),
  '`refunds plan`, 500 rows': (desk) => desk.paydesk(() => planning(desk, 500)),
  '`refunds apply`, 1 row': (desk) => desk.paydesk(() => applying(desk, 1)),
  '`refunds apply`, 500 rows': (desk) => desk.paydesk(() => applying(desk, 500)),
  '`refunds status`, 500 rows': (desk) => desk.paydesk(['refunds', 'status', planOf(desk, 500), '--csv']),
};

/** What reads every row of the journal. */
export const wholeCommands: Commands = {
  '`journal verify`': ({ paydesk }) => paydesk(['journal', 'verify', '--json']),
  '`journal export --to`': ({ paydesk, folder }) => {
    const file = join(folder, 'exported');
    return paydesk(() => {
      rmSync(file, { force: true });
      return ['journal', 'export', '--to', file];
    });
  },
};

function planOf({ folder }: AgedDesk, rows: number): string {
  return join(folder, `${rows}.plan`);
}

// A plan of orders that nobody has changed.
function planning(desk: AgedDesk, rows: number): readonly string[] {
  const first = desk.newOrders(rows);
  desk.listAlso(first, rows);
  const lines = Array.from({ length: rows }, (_, row) => `${orderIdOf(first + row)},100`);
  const input = join(desk.folder, `${rows}.csv`);
  writeFileSync(input, ['order_id,amount', ...lines, ''].join('\n'));
  return ['refunds', 'plan', input, '--to', planOf(desk, rows), '--force', '--csv', '--quiet'];
}

// Makes the plan first, which is not measured here.
function applying(desk: AgedDesk, rows: number): readonly string[] {
  const place: Place = { folder: desk.folder, rounds: 1 };
  run(desk.paydesk(planning(desk, rows)), place);
  return ['refunds', 'apply', planOf(desk, rows), '--yes', '--csv', '--quiet'];
}
