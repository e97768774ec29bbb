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

/** What a batch takes, without and with a service that takes its time; and its peak memory. */
export async function bulkRows(desk: Desk, place: Place): Promise<Row[]> {
  return [
    await batchRow(desk, place, 0, { wall: 1 }),
    await batchRow(desk, place, 40, { wall: 1 }),
    ...(await memoryRows(desk, place)),
  ];
}

async function batchRow(
  desk: Desk,
  place: Place,
  latencyMs: number,
  goals: Parameters<typeof timesRow>[1],
): Promise<Row> {
  const service = await startBulkService(batch, latencyMs);
  try {
    const plan = planOf(desk, place, service, batch);
    run(applied(place, service, plan), place);
    const file = join(place.folder, 'requests.json');
    writeFileSync(file, await requestsOf(service));
    const { apply, requests } = timesOf(place, {
      apply: applied(place, service, plan),
      requests: afterReset(service, desk.other(service, 'bare-requests.js', [file])),
    });
    const name = `\`refunds apply --concurrency 4\`, ${batch} rows at ${latencyMs} ms a reply ÷ the same requests one after the other by bare \`fetch\``;
    return timesRow(name, goals, apply, requests);
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
      goal: 1.3,
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

function planned(desk: Desk, place: Place, service: Service, rows: number): Program {
  const input = join(place.folder, `${rows}.csv`);
  const lines = Array.from({ length: rows }, (_, index) => `ord_${String(index).padStart(17, '0')},100`);
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
function applied(place: Place, service: Service, plan: string): Program {
  const args = ['refunds', 'apply', plan, '--yes', '--csv', '--quiet', '--concurrency', '4'];
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
