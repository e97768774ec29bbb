/**
 * `prove`: writes one refund, or those of a period, into a signed file that a finance department or a bank can check without
 * paydesk.
 */

import { parsedObject } from '../api/json-values.ts';
import { orderIdPattern, type TimeRange } from '../api/spec.ts';
import { idempotencyKeyPattern } from '../changes/changes.ts';
import { type Context, dryRunShown } from '../context/context.ts';
import { counted } from '../counted.ts';
import { CliError, refused } from '../errors.ts';
import { flag, usage } from '../flags/flags.ts';
import { type Period, parsePeriod, rangeOf } from '../flags/typed-period.ts';
import { clockIn } from '../flags/typed-time.ts';
import {
  type AttemptRecord,
  changeIdPattern,
  loadProofs,
  type Moment,
  type NamedChange,
  namedRefunds,
  type ProvedRefund,
  pagesOf,
} from '../journal/journal.ts';
import { commandLine, flagWords, type Profile, plainCommand } from '../profiles/profiles.ts';
import { toJson } from '../terminal/terminal.ts';
import { checkFile } from './check-proof.ts';
import { defineCommand } from './command.ts';
import { daysOfFlag, signedByFlag } from './export/export-flags.ts';
import { isInScope, lostAmong, lostRecords, lostWords, scopeOf } from './journal/journal-scope.ts';
import { readPending, type Unread, warnOfAlarms } from './journal/look-again.ts';
import { changesOn, findAttempt, orByNumber, whereElse } from './journal/meant-change.ts';
import { firstLine, lineOf, refundsWords } from './proof-lines.ts';
import { checkPage, writePage } from './proof-page.ts';
import { sourceFlags } from './report/report-flags.ts';

const example = 'paydesk -p demo prove last-month --to refunds-proof.ndjson';

/** What is to be proved: a period, or a text that may be the id of a change, a refund or an order. */
interface Asked {
  readonly text: string;
  readonly period?: Period;
}

/** The refunds that are asked for, and the times of a period. */
interface Found extends TimeRange {
  readonly attempts: readonly AttemptRecord[];
  /** Changes that cannot be proved, because their records are lost. */
  readonly lost: readonly NamedChange[];
}

export const prove = defineCommand({
  description:
    'Writes one refund, or each that was sent from here in a period, into one file: who sent, who asked, who approved, what was sent, what the service said, and its rows of the journal. The file is signed with the key of this desk. --check checks such a file, and so does a script that needs no paydesk:\n  paydesk help check-proof > check-proof.mjs\n  node check-proof.mjs FILE KEY   (KEY: desk_key of paydesk profile show at the desk)',
  arguments: [
    {
      name: 'period',
      summary:
        "the time in which the refunds were sent (last-month, 2026-11, SINCE..UNTIL), or the id of one change, one refund or one order (the shop's own number works too)",
      required: false,
      parse: readAsked,
    },
  ],
  flags: {
    to: flag.text('FILE', 'write the evidence into this file', { writes: true }),
    page: flag.text(
      'FILE',
      'also write a page to print, such as proof.html; the signed file stays the proof',
      {
        writes: true,
      },
    ),
    force: flag.switch('replace the files of --to and --page'),
    check: flag.text('FILE', 'check a file that prove wrote', { conflicts: ['to', 'force'] }),
    'signed-by': signedByFlag,
    tz: { ...sourceFlags.tz, conflicts: ['check'] },
  },
  examples: [example, 'paydesk prove i_7f3k2m9q --to proof.ndjson --json'],
  exits: { 3: 'with --check: the file was changed, or another key signed it' },
  async run(ctx, { args: [asked], flags }) {
    const { to, check, page, force = false } = flags;
    await checkPage(ctx, page, force);
    if (check !== undefined && asked !== undefined)
      throw usage(`PERIOD ${asked.text} and --check exclude each other`, [
        plainCommand('prove', '--check', check),
      ]);
    if (check !== undefined) return checkFile(ctx, check, flags['signed-by'], page);
    if (asked === undefined)
      throw usage('missing PERIOD, or the id of a change, a refund or an order', [example]);
    if (to === undefined)
      throw usage('missing --to', [
        asked.period === undefined && /\.\w+$/.test(asked.text)
          ? plainCommand('prove', '--check', asked.text)
          : plainCommand('prove', asked.text, '--to', 'proof.ndjson'),
      ]);
    if (flags.tz !== undefined && asked.period === undefined)
      throw usage(`--tz is the time zone of a period, and ${asked.text} is none`);
    await ctx.plans.checkNew(to, force);
    if (!endings.test(to)) {
      const name = `${to.replace(/\.[^./]*$/, '')}.ndjson`;
      throw usage(
        `--to ${to}: evidence is written as NDJSON, so its name ends in .ndjson, .jsonl or in nothing`,
        [
          plainCommand('prove', asked.text, ...flagWords({ tz: flags.tz, to: name, force })),
          'as a table, with a signed manifest: paydesk orders export --rows refunds --to refunds.xlsx',
        ],
      );
    }
    const would = `would write the refunds of ${asked.text} into ${to}`;
    if (await dryRunShown(ctx, { action: 'prove', file: to, about: asked.text }, would)) return undefined;
    return writeFile(ctx, asked, flags.tz, { file: to, page, force });
  },
});

// A name that people and programs do not take for a table or a page.
const endings = /\.(?:ndjson|jsonl)$|(?:^|\/)[^.]+$/i;

// The period in dates: whoever checks the file later does not know what `this-month` was.
function spanOf(ctx: Context, { since, until }: TimeRange, zone: string | undefined): string | undefined {
  const { full } = daysOfFlag(ctx, zone);
  if (since === undefined && until === undefined) return undefined;
  const ends = [since, until].map((ms, index) =>
    ms === undefined ? [] : `${index === 0 ? 'from' : 'until'} ${full(ms)}`,
  );
  const [words, name] = [ends.flat().join(' '), zone ?? ctx.zone()];
  return words.endsWith(` ${name}`) ? words : `${words}, ${name}`;
}

function readAsked(text: string): Asked {
  try {
    return { text, period: parsePeriod(text, 'PERIOD') };
  } catch (error) {
    if (!idempotencyKeyPattern.test(text)) throw error;
    return { text };
  }
}

async function refundsAsked(
  ctx: Context,
  { text, period }: Asked,
  zone: string | undefined,
  scope: Profile | undefined,
): Promise<Found> {
  if (period === undefined) {
    let named = text;
    const find = (id: string) => {
      named = id;
      return refundsNamed(ctx, id, scope);
    };
    const found = await orByNumber(ctx, text, find).catch((error) => orOther(named)(error));
    return { ...found, since: undefined, until: undefined };
  }
  const range = rangeOf(ctx, period, clockIn(daysOfFlag(ctx, zone), ctx.clock.now()));
  const attempts: AttemptRecord[] = [];
  for await (const page of pagesOf(ctx.journal, { kind: 'refund', ...range }))
    attempts.push(...page.filter(({ sent }) => isInScope(sent, scope)));
  return { attempts, lost: await lostRecords(ctx, scope, range), ...range };
}

// All refunds of an order, or the one of a change or of a refund, each with all its attempts.
async function refundsNamed(
  ctx: Context,
  id: string,
  scope: Profile | undefined,
): Promise<Pick<Found, 'attempts' | 'lost'>> {
  const onOrder = (await changesOn(ctx, id)).filter(({ sent }) => isInScope(sent, scope));
  const named = onOrder.length > 0 ? onOrder : [await findAttempt(ctx, id, ['prove'])];
  const refunds = named.filter(({ sent }) => sent.proof.kind === 'refund');
  const lost = lostAmong(named);
  if (refunds.length === 0 && lost.length > 0)
    throw refused(
      lostWords(lost, 'there is nothing to prove it with'),
      lost.map(({ change }) => plainCommand('journal', 'show', change)),
      { certain: 'nothing was written' },
    );
  if (refunds.length === 0)
    throw usage(`${id} is no refund, and prove is about refunds`, [plainCommand('journal', 'show', id)]);
  const found = refunds.map(({ sent: { change } }) => ctx.journal.attempts({ change }));
  return { attempts: (await Promise.all(found)).flat(), lost };
}

// `lastmonth` is not an id that the journal lacks, but a mistyped period. The service's ids may have no prefix, and the
// shop's own number is often `99045`, `#99045` or `SO-99045`.
const idLike = /^[a-z]+_|^(?=.*\d)[A-Za-z0-9]{12,}$|^#?(?!20\d\d)(?:[A-Za-z]+-?)?\d{3,}$/;

function orOther(text: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.kind !== 'not_found') throw error;
    if (!idLike.test(text)) parsePeriod(text, 'PERIOD');
    const isOrder = orderIdPattern.test(text);
    const message = `no refund ${isOrder ? 'of ' : ''}${text} was sent from here, so there is none to prove`;
    const named = changeIdPattern.test(text) ? { change: text } : isOrder ? { orderId: text } : {};
    throw new CliError('not_found', message, { ...named, now: whereElse(text).slice(0, 1) });
  };
}

async function writeFile(
  ctx: Context,
  asked: Asked,
  zone: string | undefined,
  {
    file,
    page,
    force,
  }: { readonly file: string; readonly page: string | undefined; readonly force: boolean },
): Promise<undefined> {
  const scope = await scopeOf(ctx, false);
  if (scope?.sender !== undefined)
    throw atTheSender(scope, asked, flagWords({ tz: zone, to: file, page, force }));
  const found = await refundsAsked(ctx, asked, zone, scope);
  const { reread, unread } = await readPending(ctx, found.attempts);
  const { refunds, head } = await readRefunds(ctx, found.attempts);
  const [now, key] = [await ctx.journal.now(), await ctx.deskKey()];
  const about = firstLine(ctx, refunds, now, {
    ...found,
    account: asked.period && scope?.account,
    about: spanOf(ctx, found, zone) ?? asked.text,
    zone: zone ?? ctx.zone(),
    unread: [...unread].map(([change, problem]) => ({ change, problem, command: readCommand(change) })),
    head,
    signedBy: key.made(),
  });
  const lines = [toJson(about), ...refunds.map((refund) => shownLine(ctx, refund, now))];
  const { proofText } = await loadProofs();
  const text = proofText(lines, (bytes) => key.sign(bytes));
  await ctx.plans.write(file, text, force);
  await ctx.out.own({ ...about, object: 'proof_file', file }, () => [
    { line: `evidence written: ${file}` },
    { line: `${refundsWords(about)}, signed by ${about.signed_by}`, hang: 2 },
    { line: `give that key to whoever checks it, apart from the file: ${plainCommand('help', 'evidence')}` },
  ]);
  const proof = { file, text, about, refunds: lines.slice(1).map(parsedObject) };
  await writePage(ctx, page, proof, { days: daysOfFlag(ctx, zone), force });
  if (found.lost.length > 0) ctx.notes.warn(lostWords(found.lost, 'the file does not have what they made'));
  if (refunds.length === 0) ctx.notes.warn('this machine sent no refund in that time');
  warnOfAlarms(ctx, reread);
  warnOfUnread(ctx, unread);
  if (asked.period !== undefined) noteElsewhere(ctx, asked.text, zone, scope);
  else noteOrder(ctx, asked.text, refunds, scope);
}

// A row without the part that may name people is still genuine: its hash covers the digest of that part.
async function readRefunds({ journal, redaction }: Context, attempts: readonly AttemptRecord[]) {
  const sents = attempts.map(({ sent }) => sent);
  const { rows, head } = await journal.storedRows(sents);
  const { provedRefunds, withoutBodies } = await loadProofs();
  return { refunds: provedRefunds(redaction.isOn() ? withoutBodies(rows) : rows, sents), head };
}

// The bank's code is masked in what paydesk says. The rows stay as the journal wrote them: their hashes are the proof.
function shownLine(ctx: Context, refund: ProvedRefund, now: Moment): string {
  const line = toJson(lineOf(ctx, refund, now));
  return ctx.redaction.isOn() ? line.replaceAll(/("auth(?:_c|C)ode":)"(?:[^"\\]|\\.)+"/g, '$1"***"') : line;
}

const readCommand = (change: string): string => plainCommand('journal', 'reconcile', change);

function warnOfUnread({ notes }: Context, unread: Unread): void {
  const [first] = unread;
  if (first === undefined) return;
  const [change, problem] = first;
  const others = unread.size === 1 ? '' : '; the others: not_read in the file';
  notes.warn(
    `${counted(unread.size, 'refund')} could not be read again (${problem}), so the file has what the journal knew: ${readCommand(change)}${others}`,
  );
}

// A desk of a team has no journal, and the sender hands out no rows as they are stored. The account has a name of its own there.
function atTheSender(scope: Profile, { text, period }: Asked, words: readonly string[]): CliError {
  const { origin, account } = scope.sender ?? {};
  const there = commandLine({ kind: 'stored', name: account ?? scope.name }, 'prove', text, ...words);
  return refused(
    `the evidence is at the sender of this team, ${origin}: its journal has it`,
    [
      `to be run on the machine of the sender, as its user: ${there}`,
      `this desk shows ${period === undefined ? 'it' : 'one refund'}, unsigned: ${commandLine(scope, 'journal', 'show', period === undefined ? text : 'CHANGE')}`,
    ],
    { certain: 'nothing was written' },
  );
}

// An order may show more refunds than were sent from here.
function noteOrder(
  { notes }: Context,
  id: string,
  refunds: readonly ProvedRefund[],
  scope: Profile | undefined,
): void {
  const order = refunds[0]?.sent.proof.orderId;
  const isOne = refunds.some((one) => namedRefunds(one).some((refund) => refund.id === id));
  if (order === undefined || isOne || changeIdPattern.test(id)) return;
  const words = ['orders', 'show', order];
  const command = scope === undefined ? plainCommand(...words) : commandLine(scope, ...words);
  notes.note(`refunds of ${order} that were made elsewhere are not in it; all that it shows: ${command}`);
}

function noteElsewhere(
  { notes }: Context,
  period: string,
  zone: string | undefined,
  scope: Profile | undefined,
): void {
  if (scope === undefined) notes.note('refunds of every account: -p NAME takes those of one');
  const words = [
    'orders',
    'export',
    '--rows',
    'refunds',
    ...flagWords({ period, tz: zone, to: 'refunds.csv' }),
  ];
  const command = scope === undefined ? plainCommand(...words) : commandLine(scope, ...words);
  notes.note(`refunds that were made elsewhere are not in it; a signed list of all: ${command}`);
}
