/** Rows of the start: what a command takes beside an empty program of Node, and beside bare requests. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, type Service, startRefundService, startService } from './desk.ts';
import { type Place, type Program, printedFile, run, timesOf } from './measure.ts';
import { type Row, timesRow } from './row.ts';

const root = join(import.meta.dirname, '../..');
// Inside the project, so that packages are found in its node_modules.
const unbundledFolder = join(root, '.bench/unbundled');

/** The services of these commands. */
export interface Services {
  readonly pages: Service;
  readonly refunds: Service;
}

/** Starts the services, does something with them, and stops them. */
export async function withServices<T>(act: (services: Services) => Promise<T>): Promise<T> {
  const services = { pages: await startService(1000), refunds: await startRefundService() };
  try {
    return await act(services);
  } finally {
    for (const service of Object.values(services)) await service.stop();
  }
}

/** The commands whose start is measured. */
export function startCommands(desk: Desk, { pages, refunds }: Services) {
  let orders = 0;
  const newOrder = () => `ord_${process.hrtime.bigint()}${++orders}`;
  return {
    '`--version`': desk.paydesk(undefined, ['--version']),
    '`--help`': desk.paydesk(undefined, ['--help']),
    '`orders refund --help`': desk.paydesk(undefined, ['orders', 'refund', '--help']),
    'a completion call': desk.paydesk(undefined, ['__complete', 'bash', '2', 'paydesk', 'orders', 're']),
    '`journal list`': desk.paydesk(undefined, ['journal', 'list']),
    '`orders list`, 20 rows': desk.paydesk(pages, ['orders', 'list']),
    '`orders refund --yes`': desk.paydesk(refunds, () => ['orders', 'refund', newOrder(), '--yes']),
  } as const satisfies Record<string, Program>;
}

/** Goals for the clock beside an empty start of Node. */
const goals = {
  '`--version`': 1.05,
  '`--help`': 1.2,
  '`orders refund --help`': 1.2,
  'a completion call': 1.2,
  '`journal list`': 1.7,
} as const;

/** All rows of the start, measured in the same rounds. */
export function startRows(desk: Desk, place: Place): Promise<Row[]> {
  return withServices(async (services) => {
    try {
      const { pages, refunds } = services;
      const commands = startCommands(desk, services);
      const requests = await warmUp(commands, place, refunds);
      const times = timesOf(place, {
        ...commands,
        empty: desk.other(undefined, 'empty.js'),
        fetch: desk.other(pages, 'bare-fetch.js'),
        requests: desk.other(refunds, 'bare-requests.js', [JSON.stringify(requests)]),
        unbundled: desk.script(pages, emitUnbundled(), ['orders', 'list']),
      });
      const list = times['`orders list`, 20 rows'];
      const refund = times['`orders refund --yes`'];
      return [
        ...Object.entries(goals).map(([name, wall]) =>
          timesRow(`${name} ÷ empty Node start`, { wall }, times[name as keyof typeof goals], times.empty),
        ),
        timesRow('`orders list`, 20 rows ÷ empty Node start', {}, list, times.empty),
        timesRow(
          '`orders list`, 20 rows ÷ a script with one bare `fetch`',
          { wall: 1.1, cpu: 1.15 },
          list,
          times.fetch,
        ),
        timesRow(
          '`orders refund --yes` ÷ its own requests by bare `fetch`',
          { wall: 1.3 },
          refund,
          times.requests,
        ),
        timesRow(
          '`orders list`, 20 rows ÷ itself as tsc output with node_modules',
          { wall: 0.4 },
          list,
          times.unbundled,
        ),
      ];
    } finally {
      rmSync(unbundledFolder, { recursive: true, force: true });
    }
  });
}

// An operator's second command finds the compile cache that the first one made. Returns the requests of a refund.
async function warmUp(
  commands: ReturnType<typeof startCommands>,
  place: Place,
  refunds: Service,
): Promise<readonly object[]> {
  for (const command of Object.values(commands)) run(command, place);
  run(commands['`orders list`, 20 rows'], place);
  const rows = readFileSync(printedFile(place), 'utf8').match(/^ord_/gm)?.length;
  if (rows !== 20) throw new Error(`orders list printed ${rows} orders, not 20`);
  const requests: readonly { readonly method: string }[] = JSON.parse(
    await (await fetch(`${refunds.baseUrl}/requests`)).text(),
  );
  if (requests.filter(({ method }) => method === 'POST').length !== 1)
    throw new Error('orders refund did not send one change');
  return requests;
}

// The same program without a bundler: what tsc emits, and a bin that calls it.
function emitUnbundled(): string {
  mkdirSync(unbundledFolder, { recursive: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  const config = join(unbundledFolder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: { noEmit: false, outDir: '.', rootDir: '../..' },
      include: ['../../src', '../../bin'],
    }),
  );
  const { status, stdout } = spawnSync(tsc, ['-p', config], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsc ended with ${status}: ${stdout}`);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bin = join(unbundledFolder, 'paydesk.js');
  writeFileSync(
    bin,
    `globalThis.PAYDESK_VERSION = ${JSON.stringify(version)};\nconst { start } = await import('./bin/start.js');\nawait start(process);\n`,
  );
  return bin;
}
