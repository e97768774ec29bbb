/** Rows of bulk refunds: a batch beside its own requests one after the other, and whether its memory grows with its rows. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, openDesk, type Service, startBulkService } from './desk.ts';
import { type Place, type Program, peakMemories, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';

const batch = 500;
const many = 10_000;
const few = 1000;
const listed = 60_000;

/** What a batch takes, without and with a service that takes its time; and its peak memory. */
export async function bulkRows(desk: Desk, place: Place): Promise<Row[]> {
  return [
    await batchRow(desk, place, { latencyMs: 0, concurrency: 4 }, { wall: 3 }),
    await batchRow(desk, place, { latencyMs: 40, concurrency: 16 }, { wall: 0.08 }),
    ...(await planRows(desk, place)),
    ...(await memoryRows(desk, place)),
  ];
}

// Plans of orders that are not the newest ones, beside reading the whole list, which finds them all too.
async function planRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startBulkService(listed, 40);
  try {
    const far = planned(desk, place, service, many, (row) => 11_000 + row);
    const spread = planned(desk, place, service, 300, (row) => 100 + row * 200);
    for (const [program, most] of [[far, 300] as const, [spread, 330] as const]) {
      await fetch(`${service.baseUrl}/reset`);
      run(program, place);
      const { length } = JSON.parse(await (await fetch(`${service.baseUrl}/requests`)).text());
      if (length > most) throw new Error(`refunds plan took ${length} requests, not ${most} at most`);
    }
    const times = timesOf(place, { far, spread, list: desk.other(service, 'plain-reader.js') });
    const beside = `of 60,000 orders at 40 ms a reply ÷ a plain node:http reader of the list`;
    return [
      timesRow(
        `\`refunds plan\`, 10,000 rows at 11,000 to 21,000 ${beside}`,
        { wall: 1 },
        times.far,
        times.list,
      ),
      timesRow(
        `\`refunds plan\`, 300 rows all over the list, ${beside}`,
        { wall: 0.5 },
        times.spread,
        times.list,
      ),
    ];
  } finally {
    await service.stop();
  }
}

async function batchRow(
  desk: Desk,
  place: Place,
  { latencyMs, concurrency }: { readonly latencyMs: number; readonly concurrency: number },
  goals: Parameters<typeof timesRow>[1],
): Promise<Row> {
  const service = await startBulkService(batch, latencyMs);
  try {
    const plan = planOf(desk, place, service, batch);
    const apply = applied(place, service, plan, concurrency);
    run(apply, place);
    const file = join(place.folder, 'requests.json');
    writeFileSync(file, await requestsOf(service));
    const times = timesOf(place, {
      apply,
      requests: afterReset(service, desk.other(service, 'bare-requests.js', [file])),
    });
    const name = `\`refunds apply --concurrency ${concurrency}\`, ${batch} rows at ${latencyMs} ms a reply ÷ the same requests one after the other by bare \`fetch\``;
    return timesRow(name, goals, times.apply, times.requests);
  } finally {
    await service.stop();
  }
}

async function memoryRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startBulkService(many, 0);
  try {
    const plans = peakMemories(place, {
      many: planned(desk, place, service, many),
      few: planned(desk, place, service, few),
    });
    const applies = peakMemories(place, {
      many: applied(place, service, planFile(place, many)),
      few: applied(place, service, planFile(place, few)),
    });
    const row = (name: string, peaks: typeof plans): Row => ({
      name: `\`refunds ${name}\`, peak memory at 10,000 rows ÷ at 1,000`,
      goal: 1.2,
      samplesA: peaks.many,
      samplesB: peaks.few,
      unit: 'MB',
    });
    return [row('plan', plans), row('apply', applies)];
  } finally {
    await service.stop();
  }
}

// ── The programs ────────────────────────────────────────────────────────────────────────────────

function planFile({ folder }: Place, rows: number): string {
  return join(folder, `${rows}.plan`);
}

// `orderOf`: the number of the order of a row.
function planned(
  desk: Desk,
  place: Place,
  service: Service,
  rows: number,
  orderOf = (row: number) => row,
): Program {
  const input = join(place.folder, `${orderOf(0)}-${rows}.csv`);
  const lines = Array.from({ length: rows }, (_, row) => `ord_${String(orderOf(row)).padStart(17, '0')},100`);
  writeFileSync(input, ['order_id,amount', ...lines, ''].join('\n'));
  return desk.paydesk(service, [
    'refunds',
    'plan',
    input,
    '--to',
    planFile(place, rows),
    '--force',
    '--csv',
    '--quiet',
  ]);
}

function planOf(desk: Desk, place: Place, service: Service, rows: number): string {
  run(planned(desk, place, service, rows), place);
  return planFile(place, rows);
}

// A plan can be applied once, so every run has a journal of its own, and all orders are as they were.
function applied(place: Place, service: Service, plan: string, concurrency = 4): Program {
  const args = ['refunds', 'apply', plan, '--yes', '--csv', '--quiet', '--concurrency', String(concurrency)];
  const home = mkdtempSync(join(place.folder, 'desk-'));
  return afterReset(service, openDesk(home).paydesk(service, args), () => {
    rmSync(join(home, 'home'), { recursive: true });
    mkdirSync(join(home, 'home'));
  });
}

function afterReset(service: Service, { args, ...program }: Program, forget?: () => void): Program {
  return {
    ...program,
    args() {
      forget?.();
      spawnSync(process.execPath, ['-e', `fetch('${service.baseUrl}/reset')`]);
      return typeof args === 'function' ? args() : args;
    },
  };
}

async function requestsOf({ baseUrl }: Service): Promise<string> {
  const asked = await (await fetch(`${baseUrl}/requests`)).text();
  const requests: readonly { readonly method: string }[] = JSON.parse(asked);
  const { length: posts } = requests.filter(({ method }) => method === 'POST');
  if (posts !== batch) throw new Error(`refunds apply sent ${posts} changes, not ${batch}`);
  return asked;
}
