/** What runs in memory is what runs as a process: exit codes, formats and commands both ways, compared byte for byte. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/commands.ts';
import { exitMeanings } from '../../src/errors.ts';
import { formats } from '../../src/terminal/terminal.ts';
import { later } from '../harness/clock.ts';
import { isLong } from '../harness/long.ts';
import { customerOf, errorBody, paidOrder } from '../harness/orders.ts';
import { type Home, newHome, type RunOptions, startInMemory, startProcess } from '../harness/paydesk.ts';
import type { Ran, Running } from '../harness/ran.ts';
import { type Handler, inTurn, json, reply, stall, startServer } from '../harness/server.ts';
import { environment, pages } from '../harness/service.ts';
import { wordsOf } from '../harness/shell.ts';

/** One command line. `{change}` is the newest id of the journal that was printed. */
interface Line {
  readonly words: string;
  readonly code: number;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A signal, once the service was asked, or once a line stands on stdout. */
  readonly stop?: { readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'; readonly after: 'request' | 'line' };
}

/** Lines that run in one home, one after another; `service`: the account of the profile `environment`. */
interface Story {
  readonly name: string;
  readonly service?: () => Handler;
  readonly lines: readonly Line[];
  /** What follows in the long form. */
  readonly more?: readonly Line[];
  /** Of the long form only: the short one shows the same of another command. */
  readonly isLong?: true;
}

const split = 'ord_2tQ7zRk9PwE5xNvAm';
const done = (words: string, more: Partial<Line> = {}): Line => ({ words, code: 0, ...more });
const ends = (code: number, words: string, more: Partial<Line> = {}): Line => ({ words, code, ...more });

const threeDaysLater = (lines: readonly Line[]): readonly Line[] =>
  lines.map((line) => ({ ...line, env: { ...line.env, ...later(3 * 86_400_000) } }));

const lost: Handler = (_request, _response, socket) => void socket.destroy();
// Of another amount: no twin of the first.
const orders = [
  paidOrder('ord_1'),
  paidOrder('ord_2', { amount: 34_000, payment_status: 'refunded', is_refundable: false }),
];

const told: readonly Story[] = [
  {
    name: 'texts, and lines that are not understood',
    lines: [
      done(''),
      done('--version'),
      done('--help'),
      done('orders --help', { env: { COLUMNS: '60' } }),
      ends(10, "__complete zsh 2 journal import ''"),
      ends(2, 'orders lsit'),
      ends(2, 'orders list -o xlsx --to list.csv'),
      ends(4, '-p nobody orders list'),
    ],
    more: [
      done('help exit-codes'),
      done('completion bash'),
      done('mcp'),
      ends(3, 'release refunds.plan'),
      done('completion zsh'),
      done('__complete zsh 1 orders'),
      ends(2, 'orders list --limit x --json'),
      ends(2, 'orders list -o yaml'),
      ends(4, 'orders list -o ndjson'),
    ],
  },
  {
    name: 'the demo: reads, in every format',
    lines: [
      done('-p demo orders list --color always --limit 3', { env: { TZ: 'America/Mexico_City' } }),
      done('-p demo orders list -o list --limit 2'),
      done('-p demo orders list --json --limit 2'),
      done('-p demo orders list --ndjson --limit 3'),
      done('-p demo orders list --csv --columns id,amount --no-header'),
      done('-p demo orders export --to orders.ndjson.gz'),
      done('simulator reset --yes'),
    ],
    more: [
      done('-p demo orders list'),
      done(`-p demo orders show ${split}`),
      done(`-p demo orders show ${split} --json`, { env: { PAYDESK_DEBUG: '0' } }),
      done('-p demo orders find 0005 --max 20'),
      ends(2, '-p demo orders browse'),
      done('-p demo orders export --limit 50 --csv'),
      done('orders export --verify orders.ndjson.gz'),
      done('-p demo prove this-month --to proof.ndjson'),
      done('prove --check proof.ndjson'),
      ends(3, '-p demo orders export --to orders.ndjson.gz'),
      done('-p demo customers list --limit 3'),
      ends(5, '-p demo customers show cus_2sZp8LmQ4tVxNobody'),
      done('-p demo customers export --to customers.csv'),
      done('-p demo api GET orders --field limit=1'),
      ends(5, '-p demo orders show ord_2tQ7zRk9PwE5xNvNo'),
      // No drill has begun.
      ends(2, 'simulator drill --to result.json'),
    ],
  },
  {
    name: 'the demo: changes, and the journal of them',
    lines: [
      done(`-p demo orders refund ${split} --charge 2 --dry-run`),
      ends(2, `-p demo orders refund ${split} --charge 2`),
      done(`-p demo orders refund ${split} --charge 2 --yes --reason other`),
      // A refund is read again at ages that depend on how fast this machine is, until its horizon is over.
      ...threeDaysLater([
        ends(3, `-p demo orders refund ${split} --charge 2 --yes`),
        done('-p demo orders create --item Lamp:30000:1 --currency MXN --yes --json'),
        done('-p demo checkout create --name Lamp --item Lamp:30000:1 --currency MXN --expires 7d --yes'),
        ends(7, `-p demo orders refund ${split} --charge 1 --amount 200 --yes`, {
          env: { PAYDESK_DEMO_FAULT: 'drop' },
        }),
        done('journal show {change}'),
        done('journal verify'),
        done('journal export --to journal.paydesk'),
      ]),
    ],
    more: [
      ...threeDaysLater([
        done('journal list'),
        done('journal list --json'),
        done('journal reconcile {change}'),
        ends(2, 'journal settle {change} --not-applied'),
        ends(3, 'journal settle {change} --not-applied --note gone --yes'),
        ends(3, 'journal acknowledge {change} --note gone'),
        done('journal forget --before 30d --yes'),
        ends(3, 'journal archive --before 30d --to archived.paydesk --yes'),
        done('journal list --all --ndjson'),
        ends(3, 'journal import journal.paydesk --yes'),
        ends(3, `-p demo orders capture ${split} --yes`),
      ]),
    ],
  },
  {
    name: 'profiles and keys',
    service: () => pages(orders),
    lines: [
      done('profile purge --yes'),
      done('profile add shop --base-url {url} --mode sandbox --key-stdin --key-store file', {
        input: 'key_ofTheShop0123456789\n',
      }),
      done('profile list'),
      done('profile show shop --json'),
      done('profile use shop'),
      done('profile set shop refund.require reason'),
      done('profile key shop --key-file key.txt'),
      done('profile check shop'),
      done('orders list'),
      done('profile remove shop --yes'),
      ends(2, 'orders list key_CANARYxyz0123456789', { env: { PAYDESK_KEY_FILE: 'canary.txt' } }),
    ],
  },
  {
    name: 'refunds from a file',
    lines: [
      ends(8, '-p demo refunds compare - --json', { input: `order_id,charge_id,amount\n${split},2,100\n` }),
      ends(2, '-p demo orders compare nothing.csv'),
    ],
    more: [
      done('-p demo refunds plan - --to one.plan --dry-run --csv', {
        input: `order_id,charge_id,amount\n${split},2,100\n`,
      }),
      ends(2, '-p demo refunds plan - --to one.plan', { input: 'order_id,amount\nord_1,1.5\n' }),
      ends(2, 'refunds apply none.plan --yes'),
      ends(2, 'refunds status none.plan'),
      ends(5, 'refunds receipt i_0000000a'),
      done('undo'),
    ],
  },
  {
    name: 'reports, live and from a file',
    isLong: true,
    service: () => pages(orders),
    lines: [
      done('orders summary --period 2026-09 --csv --columns bucket,currency,orders,amount --tz UTC'),
      done('orders waiting --columns bucket,orders'),
      done('orders twins --period 2026-09'),
      done('refunds list --period 2026-09 --csv'),
      done('refunds summary --period 2026-09 --by reason --columns bucket,refunds'),
      done('today --columns what,count,amount'),
      done('orders export --to reported.ndjson'),
      done('orders summary --period 2026-09 --columns orders,amount --from-file reported.ndjson'),
      done('report --period 2026-09 --to report.html'),
      done('report --period 2026-09 --to from-file.html --from-file reported.ndjson'),
      ends(3, 'report --period 2026-09 --to report.html'),
      ends(2, 'refunds summary --from-file none.ndjson --live'),
      ends(2, 'refunds summary --from-file none.ndjson'),
    ],
  },
  {
    name: 'an account without a team',
    isLong: true,
    service: () => pages(orders),
    lines: [
      ends(3, 'approvals list'),
      ends(3, 'approvals show r_1 --json'),
      ends(3, 'approvals approve r_1 --yes'),
      ends(3, 'approvals reject r_1 --note no'),
      ends(3, 'sender init'),
      ends(3, 'sender serve --allow-root'),
      ends(3, 'sender invite ana --role viewer'),
      ends(3, 'sender revoke ana --yes'),
      ends(3, 'sender limits --json'),
      ends(3, 'sender members'),
      ends(3, 'sender migrate --allow-root --yes'),
      ends(3, 'sender verify'),
    ],
  },
  {
    name: 'the index, and customers',
    isLong: true,
    service: () => pages(orders, [customerOf('cus_1')]),
    lines: [
      ends(3, 'index status'),
      ends(2, 'index build'),
      done('index build --yes --json'),
      done('index status'),
      done('index refresh --json'),
      done('refunds summary --period 2026-09 --columns bucket,refunds'),
      done('today --columns what,count,amount'),
      done('orders find ord_2 --json'),
      ends(5, 'orders find nobody --json'),
      ends(2, 'index forget'),
      done('index forget --buyer buyer@example.com --yes'),
      ends(9, 'orders find nobody --json'),
      done('index rekey'),
      done('index forget --all --yes --json'),
      done('customers find buyer'),
      ends(5, 'customers find nobody --json'),
    ],
  },
  {
    name: 'a service that answers badly',
    service: () =>
      inTurn(
        reply('<!doctype html><html>'),
        json(errorBody({ type: 'authentication_error' }), 401),
        json(errorBody(), 422),
        json({ object: 'list', has_more: true, data: [paidOrder('ord_1')] }),
        json({ object: 'list', has_more: true, data: [paidOrder('ord_1')] }),
      ),
    lines: [
      ends(1, 'orders list'),
      ends(4, 'orders list --json'),
      ends(5, 'orders list'),
      ends(9, 'orders list --all --ndjson'),
    ],
  },
  {
    name: 'a service that is not there, or loses replies',
    service: () => (request, response, socket) =>
      (request.method === 'GET' ? pages(orders) : lost)(request, response, socket),
    lines: [
      ends(6, 'orders list', { env: { PAYDESK_BASE_URL: 'http://127.0.0.1:9' } }),
      ends(3, 'orders refund ord_2 --yes'),
      ends(7, 'orders refund ord_1 --yes --json'),
      ends(3, 'orders refund ord_1 --yes'),
    ],
  },
  {
    name: 'signals',
    service: () => stall,
    lines: [
      ends(130, 'orders list', { stop: { signal: 'SIGINT', after: 'request' } }),
      ends(143, 'orders list --json', { stop: { signal: 'SIGTERM', after: 'request' } }),
      ends(129, 'orders list', { stop: { signal: 'SIGHUP', after: 'request' } }),
      ends(143, 'simulator serve --json --port 0', { stop: { signal: 'SIGTERM', after: 'line' } }),
    ],
  },
];

const allOf = ({ lines, more = [] }: Story): readonly Line[] => [...lines, ...more];
// The short form runs every exit code and format, what is piped in, and every signal; the long one every command too.
const stories = told
  .filter((story) => isLong || story.isLong !== true)
  .map((story) => (isLong ? { ...story, lines: allOf(story) } : story));

// Where a reply was lost (7), a run waits before it reads again. These stories wait together; the others are told one by one,
// since a run that has to wait for the machine says how far it is.
const losesReplies = ({ lines }: Story) => lines.some(({ code }) => code === 7);

test.concurrent.each(stories.filter(losesReplies))('$name: the same in memory and as a process', compare);
test.each(stories.filter((story) => !losesReplies(story)))(
  '$name: the same in memory and as a process',
  compare,
);

async function compare(story: Story): Promise<void> {
  const [inMemory, asProcess] = await Promise.all([tell(story, startInMemory), tell(story, startProcess)]);
  expect(inMemory.lines.map(({ words, code }) => ({ words, code }))).toEqual(
    story.lines.map(({ words, code }) => ({ words, code })),
  );
  for (const [index, told] of inMemory.lines.entries()) expect(told).toEqual(asProcess.lines[index]);
  expect(inMemory.files).toEqual(asProcess.files);
}

test('every command is among all of them, and every exit code and format among those of the short form', () => {
  const all = told.flatMap(allOf);
  const lines = told.flatMap((story) => (story.isLong === true ? [] : story.lines));
  const has = (text: string, among = lines) => among.some(({ words }) => ` ${words} `.includes(` ${text} `));
  expect(commands.map(({ words }) => words.join(' ')).filter((words) => !has(words, all))).toEqual([]);
  expect(
    formats.filter((format) => format !== 'table' && !has(`-o ${format}`) && !has(`--${format}`)),
  ).toEqual([]);
  // A run in memory has no reader that goes away: terminal/pipes.test.ts.
  const codes = [...exitMeanings.keys()].filter((code) => code !== 141);
  expect(codes.filter((code) => !lines.some((line) => line.code === code))).toEqual([]);
});

type Start = (args: readonly string[], options: RunOptions) => Running;

/** What the lines gave, and the files that they left behind. */
interface Told {
  readonly lines: readonly (Pick<Ran, 'code' | 'stdout' | 'stderr'> & { readonly words: string })[];
  readonly files: readonly string[];
}

async function tell(story: Story, start: Start): Promise<Told> {
  using home = newHome();
  await using server = await startServer(story.service?.() ?? lost);
  writeFileSync(join(home.path, 'key.txt'), 'key_another0123456789\n');
  writeFileSync(join(home.path, 'canary.txt'), 'key_CANARYxyz0123456789\n');
  const service =
    story.service === undefined || story.name.startsWith('profiles') ? {} : environment(server.url);
  const plain = sameNames([
    [home.path, '<home>'],
    [server.url, '<url>'],
  ]);
  const told: Told['lines'][number][] = [];
  let change = '';
  for (const { words, input, env, stop } of story.lines) {
    const asked = server.requests.length;
    const args = wordsOf(words.replace('{change}', change).replace('{url}', server.url));
    const running = start(args, {
      home,
      env: { TZ: 'UTC', ...service, ...env },
      sleeps: 'really',
      ...(input === undefined ? {} : { input }),
    });
    if (stop !== undefined) {
      await (stop.after === 'line' ? running.firstLine() : server.waitFor(asked + 1));
      running.signal(stop.signal);
    }
    const { code, stdout, stderr } = await running.end;
    change = `${stdout}${stderr}`.match(/\bi_[0-9a-f]{8}\b/)?.[0] ?? change;
    told.push({ words, code, stdout: plain(stdout), stderr: plain(stderr) });
  }
  return { lines: told, files: filesOf(home).map(plain) };
}

// Databases as the rows in them. A process may keep compiled code, and has its clock from a file of the harness.
function filesOf({ path }: Home): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/\.cache\/paydesk\/compile|\/clock-[^/]*\.cjs$/.test(file))
    .sort()
    .map((file) => {
      const stat = statSync(file);
      const mode = (stat.mode & 0o777).toString(8);
      return `${file} ${mode} ${stat.isFile() ? contentOf(file) : 'folder'}`;
    });
}

function contentOf(file: string): string {
  const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
  if (!bytes.subarray(0, 15).equals(Buffer.from('SQLite format 3'))) return bytes.toString('latin1');
  using db = new DatabaseSync(file, { readOnly: true });
  const tables = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  // The records of the demo are made by chance, and ids that stand in their own order are of no order here.
  const isByChance = (name: string) => file.endsWith('demo.db') || ['made', 'again'].includes(name);
  const rows = (name: string) =>
    db.prepare(`SELECT ${isByChance(name) ? 'count(*)' : '*'} FROM "${name}"`).all();
  return JSON.stringify(tables.map(({ name, sql }) => [sql, rows(String(name))]));
}

/** Makes equal what differs by nature; the same id gets the same name wherever it stands. */
function sameNames(replaced: readonly (readonly [string, string])[]): (text: string) => string {
  const names = new Map<string, string>();
  const random =
    /\bi_[0-9a-f]{8}\b|\b(?:key|ord|cus|line_item|ship_cont|off_ref|fis_ent)_[A-Za-z0-9]{16,40}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{16}|[0-9a-f]{12})\b|127\.0\.0\.1:\d{4,5}/g;
  return (text) => {
    let out = text;
    for (const [from, to] of replaced) out = out.replaceAll(from, to);
    return out
      .replace(random, (id) => {
        const name = names.get(id) ?? `<${names.size}>`;
        names.set(id, name);
        return name;
      })
      .replace(/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '<time>')
      .replace(/\b\d{1,2} [A-Z][a-z]{2} (?:20\d\d )?\d\d:\d\d(?::\d\d)?/g, '<time>')
      .replace(/\b\d\d:\d\d(?::\d\d)?\b/g, '<time>')
      .replace(/\b1[789]\d{8}(?:\d{3})?\b/g, '<time>')
      .replace(/"ms\\?":\d+/g, '<ms>')
      .replace(/"signature\\?": ?\\?"[^"]+"/g, '<signature>')
      .replace(/MCowBQYDK2VwAyEA[\w+/]+=|MC4CAQAwBQYDK2VwBCI[\w+/=]+/g, '<desk key>')
      .replace(/"(?:prev|hash|body_hash|journal_head)":"[0-9a-f]{64}"/g, '<hash>')
      .replace(/\b\d+\.\d s\)/g, '<seconds>)')
      .replace(/\b\d+ bytes\b|"bytes":\s*\d+/g, '<bytes>')
      .replace(/"folder":"\d+ \d+"/g, '<folder>')
      .replace(/"mark":"[^"]+"/g, '<mark>')
      .replace(/"policy_file":"[^"]+"/g, '<policy>');
  };
}
