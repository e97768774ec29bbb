/** Rows of exports: all orders as lines of JSON, beside what people would write instead. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, longKey, type Service, startService } from './desk.ts';
import { toolVersion } from './machine.ts';
import {
  firstBytes,
  type Place,
  type Program,
  peakMemories,
  printedFile,
  run,
  type Taken,
  timesOf,
} from './measure.ts';
import { type Row, timesRow } from './row.ts';

const orders = 20_000;
const export20k = '`orders export`, 20,000 orders of 1.5 to 40 kB, with quotes, `\\u00e9`, URLs and emoji';
const reader = 'a plain node:http reader that writes NDJSON';
const goals = { wall: 1, cpu: 1.15 };

/** What an export takes, without and with a service that takes its time. */
export async function exportRows(desk: Desk, place: Place): Promise<Row[]> {
  return [
    ...(await fastRows(desk, place)),
    ...(await latinRows(desk, place)),
    ...(await latencyRow(desk, place)),
  ];
}

async function fastRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startService(orders);
  try {
    const lines = join(place.folder, 'lines');
    const written = {
      paydesk: exported(desk, service),
      longKey: desk.paydesk(service, exportOf('ndjson'), longKey),
      plain: desk.other(service, 'plain-reader.js'),
    };
    const others: Record<string, Program> = {};
    const axios = axiosFolder(place);
    if ('folder' in axios)
      others.axios = desk.other(service, 'axios-loop.js', [], { AXIOS_FOLDER: axios.folder });
    const curl = ['curl', 'jq'].find((tool) => toolVersion(tool) === undefined);
    if (curl === undefined) others.curl = desk.other(service, 'curl-jq.sh', [], { LINES: lines });
    checkLines({ ...written, ...others }, place, lines);
    const formats = { json: exported(desk, service, 'json'), csv: exported(desk, service, 'csv') };
    const times: Record<string, Taken[]> = timesOf(place, { ...written, ...formats, ...others });
    const { paydesk = [], longKey: long = [], json = [], csv = [], plain = [] } = times;
    const beside = (name: string, wall: number, other: Taken[] | undefined, notRun: string): Row =>
      other === undefined ? { name, notRun } : timesRow(name, { wall }, paydesk, other);
    return [
      timesRow(`${export20k}, a key of 20 characters ÷ ${reader}`, goals, paydesk, plain),
      timesRow(`the same, a key of 64 characters ÷ ${reader}`, goals, long, plain),
      timesRow(`the same, \`-o json\` ÷ ${reader}`, goals, json, plain),
      timesRow(`the same, \`-o csv\` ÷ ${reader}`, goals, csv, plain),
      beside('the same ÷ a loop over axios', 0.85, times.axios, 'notRun' in axios ? axios.notRun : ''),
      beside('the same ÷ a curl | jq loop', 0.2, times.curl, `${curl} is not on this machine`),
    ];
  } finally {
    await service.stop();
  }
}

// Texts with an emoji in them slow down the plain reader more than paydesk, which does not write them anew.
async function latinRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startService(orders, 0, 'latin');
  try {
    const { plain, ...formats } = timesOf(place, {
      ndjson: exported(desk, service),
      json: exported(desk, service, 'json'),
      csv: exported(desk, service, 'csv'),
      plain: desk.other(service, 'plain-reader.js'),
    });
    return Object.entries(formats).map(([format, times]) =>
      timesRow(`the same without emoji and other scripts, \`-o ${format}\` ÷ ${reader}`, goals, times, plain),
    );
  } finally {
    await service.stop();
  }
}

async function latencyRow(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startService(orders, 40);
  try {
    const times = timesOf(place, {
      paydesk: exported(desk, service),
      discarding: desk.other(service, 'discarding-reader.js'),
    });
    const name = `${export20k}, 40 ms a reply ÷ a reader that discards bodies`;
    return [timesRow(name, { wall: 1.08 }, times.paydesk, times.discarding)];
  } finally {
    await service.stop();
  }
}

/** When the first line is there, and how fast the rows come after it. */
export async function walkRows(desk: Desk, place: Place): Promise<Row[]> {
  const [many, few] = [await startService(orders), await startService(orders / 10)];
  try {
    const first = firstBytes(place, {
      paydesk: exported(desk, many),
      plain: desk.other(many, 'plain-reader.js'),
    });
    const whole = timesOf(place, {
      paydesk: exported(desk, many),
      plain: desk.other(many, 'plain-reader.js'),
      paydeskFew: exported(desk, few),
      plainFew: desk.other(few, 'plain-reader.js'),
    });
    return [
      {
        name: '`orders export`, first byte of the first page ÷ that of a plain node:http reader',
        samplesA: first.paydesk,
        samplesB: first.plain,
      },
      timesRow(
        '`orders export`, 1,000 rows while walking ÷ the same of a plain node:http reader',
        {},
        aThousand(whole.paydesk, whole.paydeskFew),
        aThousand(whole.plain, whole.plainFew),
      ),
    ];
  } finally {
    await many.stop();
    await few.stop();
  }
}

// What the rows between the few and the many took, for 1,000 of them: without start and end.
function aThousand(many: readonly Taken[], few: readonly Taken[]): Taken[] {
  const thousands = (orders - orders / 10) / 1000;
  return many.map(({ wall, cpu }, round) => ({
    wall: (wall - (few[round]?.wall ?? Number.NaN)) / thousands,
    cpu: (cpu - (few[round]?.cpu ?? Number.NaN)) / thousands,
  }));
}

/** What an export keeps in memory: beside axios, and whether it grows with what is exported. */
export async function memoryRows(desk: Desk, place: Place): Promise<Row[]> {
  const rows: Row[] = [];
  const name = `${export20k}, peak memory ÷ a loop over axios that writes every page`;
  const axios = axiosFolder(place);
  const service = await startService(orders);
  if ('folder' in axios) {
    const peaks = peakMemories(place, {
      paydesk: exported(desk, service),
      axios: desk.other(service, 'axios-loop.js', [], { AXIOS_FOLDER: axios.folder }),
    });
    rows.push({ name, goal: 0.6, samplesA: peaks.paydesk, samplesB: peaks.axios, unit: 'MB' });
  } else {
    rows.push({ name, notRun: axios.notRun });
  }
  await service.stop();
  return [...rows, ...(await growthRows(desk, place))];
}

async function growthRows(desk: Desk, place: Place): Promise<Row[]> {
  const many = await startService(100_000);
  const few = await startService(10_000);
  try {
    return ['ndjson', 'csv', 'json'].map((format): Row => {
      const peaks = peakMemories(place, {
        many: exported(desk, many, format),
        few: exported(desk, few, format),
      });
      const name = `\`orders export -o ${format}\`, peak memory at 100,000 orders ÷ at 10,000`;
      return { name, goal: 1.1, samplesA: peaks.many, samplesB: peaks.few, unit: 'MB' };
    });
  } finally {
    await many.stop();
    await few.stop();
  }
}

/** A long table: drawn as its pages arrive, beside one cli-table3 a page. */
export async function tableRows(desk: Desk, place: Place): Promise<Row[]> {
  const service = await startService(5000);
  try {
    const times = timesOf(place, {
      paydesk: desk.paydesk(service, ['orders', 'list', '--all', '--limit', '250']),
      pages: desk.other(service, 'table-of-pages.js'),
    });
    const name = '`orders list --all`, a table of 5,000 rows ÷ one cli-table3 of 250 rows at a time';
    return [timesRow(name, { wall: 0.25 }, times.paydesk, times.pages)];
  } finally {
    await service.stop();
  }
}

function exported(desk: Desk, service: Service, format = 'ndjson'): Program {
  return desk.paydesk(service, exportOf(format));
}

function exportOf(format: string): readonly string[] {
  return ['orders', 'export', '-o', format, '--quiet'];
}

// Everybody is to have written every order.
function checkLines(programs: Readonly<Record<string, Program>>, place: Place, curlLines: string): void {
  for (const [name, program] of Object.entries(programs)) {
    run(program, place);
    const text = readFileSync(name === 'curl' ? curlLines : printedFile(place), 'utf8');
    const count = text.split('\n').length - 1;
    if (count !== orders) throw new Error(`${name} wrote ${count} lines, not ${orders}`);
  }
}

// Installed beside what is measured: no part of paydesk, not even for its development.
function axiosFolder({ folder }: Place): { readonly folder: string } | { readonly notRun: string } {
  const prefix = join(folder, 'axios');
  const args = ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--silent', 'axios'];
  const { status } = spawnSync('npm', args, { stdio: 'ignore' });
  return status === 0 ? { folder: prefix } : { notRun: 'npm could not install axios' };
}
