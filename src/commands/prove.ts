/** `prove`: one refund, or those of a period, in one signed file, which a finance department or a bank checks without paydesk. */

import { orderIdPattern } from '../api/spec.ts';
import { idempotencyKeyPattern } from '../changes/changes.ts';
import { type Context, dryRunShown } from '../context/context.ts';
import { counted } from '../counted.ts';
import { CliError, type CliErrorParts } from '../errors.ts';
import { flag, usage } from '../flags/flags.ts';
import { type Period, parsePeriod } from '../flags/typed-period.ts';
import { clockAndZoneOf, type TimeRange } from '../flags/typed-time.ts';
import { changeIdPattern, isOpen, loadProofs, type ProvedRefund, type SentRow } from '../journal/journal.ts';
import { commandLine, type Profile, plainCommand } from '../profiles/profiles.ts';
import { toJson } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';
import { signedByFlag } from './export-flags.ts';
import { recordOf } from './journal/attempt-record.ts';
import { attemptOf, changesOn, isInScope, scopeOf } from './journal/attempts.ts';
import { readPending, type Unread, warnOfAlarms } from './journal/look-again.ts';
import { lineOf, provedShort, repliesKept, shortView, sumsOf } from './proof-lines.ts';

const example = 'paydesk -p demo prove last-month --to refunds-proof.ndjson';

/** What is to be proved: a time, or what may be the id of a change, a refund or an order. */
interface Asked {
  readonly text: string;
  readonly period?: Period;
}

export const prove = defineCommand({
  description:
    'Writes one refund, or each that was sent from here in a period, into one file: who sent, who asked, who approved, what was sent, what the service said, and its rows of the journal. The file is signed with the key of this desk. --check checks such a file, and so does a script that needs no paydesk:\n  paydesk help check-proof > check-proof.mjs',
  arguments: [
    {
      name: 'period',
      summary:
        'the time in which the refunds were sent (last-month, 2026-11, SINCE..UNTIL), or the id of one change, one refund or one order',
      required: false,
      parse: readAsked,
    },
  ],
  flags: {
    to: flag.text({ value: 'FILE', writes: true, summary: 'write the evidence into this file' }),
    force: flag.switch({ summary: 'replace the file of --to' }),
    check: flag.text({
      value: 'FILE',
      summary: 'check a file that prove wrote',
      conflicts: ['to', 'force'],
    }),
    'signed-by': signedByFlag,
  },
  examples: [example, 'paydesk prove i_7f3k2m9q --to proof.ndjson --json'],
  exits: { 3: 'with --check: the file was changed, or another key signed it' },
  async run(ctx, { args: [asked], flags }) {
    const { to, check, force = false } = flags;
    if (check !== undefined && asked !== undefined)
      throw usage(`PERIOD ${asked.text} and --check exclude each other`, [
        plainCommand('prove', '--check', check),
      ]);
    if (check !== undefined) return checkFile(ctx, check, flags['signed-by']);
    if (asked === undefined)
      throw usage('missing PERIOD, or the id of a change, a refund or an order', [example]);
    if (to === undefined)
      throw usage('missing --to', [
        asked.period === undefined && /\.\w+$/.test(asked.text)
          ? plainCommand('prove', '--check', asked.text)
          : plainCommand('prove', asked.text, '--to', 'proof.ndjson'),
      ]);
    await ctx.plans.checkNew(to, force);
    const would = `would write the refunds of ${asked.text} into ${to}`;
    if (await dryRunShown(ctx, { action: 'prove', file: to, about: asked.text }, would)) return undefined;
    return writeFile(ctx, asked, to, force);
  },
});

function readAsked(text: string): Asked {
  try {
    return { text, period: parsePeriod(text, 'PERIOD') };
  } catch (error) {
    if (!idempotencyKeyPattern.test(text)) throw error;
    return { text };
  }
}

// Which rows are asked for, and the times of a period.
async function rowsAsked(
  ctx: Context,
  { text, period }: Asked,
  scope: Profile | undefined,
): Promise<TimeRange & { readonly isAsked: (sent: SentRow) => boolean }> {
  if (period === undefined) {
    const changes = await refundsNamed(ctx, text, scope);
    return { since: undefined, until: undefined, isAsked: ({ change }) => changes.has(change) };
  }
  const range = period.range(clockAndZoneOf(ctx));
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = range;
  return { ...range, isAsked: (sent) => sent.time >= since && sent.time < until && isInScope(sent, scope) };
}

// All refunds of an order, or the one of a change or of a refund.
async function refundsNamed(
  ctx: Context,
  id: string,
  scope: Profile | undefined,
): Promise<ReadonlySet<string>> {
  const onOrder = (await changesOn(ctx, id)).filter(({ sent }) => isInScope(sent, scope));
  const named = onOrder.length > 0 ? onOrder : [await attemptOf(ctx, id, ['prove']).catch(orOther(id))];
  const refunds = named.filter(({ sent }) => sent.proof.kind === 'refund');
  if (refunds.length > 0) return new Set(refunds.map(({ sent }) => sent.change));
  throw usage(`${id} is no refund, and prove is about refunds`, [plainCommand('journal', 'show', id)]);
}

// `lastmonth` is no id that the journal lacks, but a period that somebody mistyped. The service's ids may have no prefix.
const idLike = /^[a-z]+_|^(?=.*\d)[A-Za-z0-9]{12,}$/;

function orOther(text: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CliError) || error.kind !== 'not_found') throw error;
    if (!idLike.test(text)) parsePeriod(text, 'PERIOD');
    const { of, parts } = whereElse(text);
    throw new CliError(
      'not_found',
      `no refund ${of}${text} was sent from here, so there is none to prove`,
      parts,
    );
  };
}

// Where to look for what was not sent from here.
function whereElse(id: string): { readonly of: string; readonly parts: CliErrorParts } {
  if (changeIdPattern.test(id))
    return { of: '', parts: { change: id, now: [plainCommand('journal', 'list', '--all-profiles')] } };
  const [of, verb] = orderIdPattern.test(id) ? (['of ', 'show'] as const) : (['', 'find'] as const);
  const now = [`refunds from elsewhere stand on their order: ${plainCommand('orders', verb, id)}`];
  return { of, parts: of === '' ? { now } : { orderId: id, now } };
}

async function writeFile(ctx: Context, asked: Asked, file: string, force: boolean): Promise<undefined> {
  const scope = await scopeOf(ctx, false);
  if (scope?.sender !== undefined) throw atTheSender(scope.sender.origin, asked.text);
  const { isAsked, since, until } = await rowsAsked(ctx, asked, scope);
  const { provedRefunds, proofText, withoutBodies } = await loadProofs();
  // A row without the part that may name people is still genuine: its hash covers the digest of that part.
  const isMasked = ctx.redaction.isOn();
  const readRefunds = () =>
    ctx.journal.readRows((rows) => provedRefunds(isMasked ? withoutBodies(rows) : rows, isAsked));
  const known = await readRefunds();
  const { reread, unread } = await readPending(ctx, known.refunds);
  const { refunds, head } = reread.length === 0 ? known : await readRefunds();
  const [now, key] = [await ctx.journal.now(), await ctx.deskKey()];
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.ceil(ms / 1000));
  const about = {
    object: 'proof',
    version: 1,
    // A change is that of its own account, whatever profile is used.
    account: accountOf(refunds, asked.period && scope?.account),
    about: asked.text,
    since: seconds(since),
    until: seconds(until),
    zone: ctx.zone(),
    made_at: Math.floor(now.time / 1000),
    refunds: refunds.length,
    sums: sumsOf(refunds.map((refund) => recordOf(refund, isOpen(refund, now)))),
    replies: repliesKept,
    not_read: [...unread].map(([change, problem]) => ({ change, problem, command: readCommand(change) })),
    journal_head: head ?? null,
    signed_by: key.made(),
  };
  const lines = [about, ...refunds.map((refund) => lineOf(ctx, refund, now))].map((line) => toJson(line));
  await ctx.plans.write(
    file,
    proofText(lines, (bytes) => key.sign(bytes)),
    force,
  );
  await ctx.out.own({ ...about, object: 'proof_file', file }, () => [
    { line: `evidence written: ${file}` },
    { line: `${counted(refunds.length, 'refund')}, signed by ${about.signed_by}`, hang: 2 },
    {
      line: `whoever checks it needs this key from you, and not from the file: ${plainCommand('help', 'evidence')}`,
    },
  ]);
  if (refunds.length === 0) ctx.notes.warn('this machine sent no refund in that time');
  warnOfAlarms(ctx, reread);
  warnOfUnread(ctx, unread);
  if (asked.period !== undefined) noteElsewhere(ctx, asked.text, scope);
  return undefined;
}

const readCommand = (change: string): string => plainCommand('journal', 'reconcile', change);

function warnOfUnread({ notes }: Context, unread: Unread): void {
  const [first, second] = unread;
  if (first === undefined) return;
  const [change, problem] = first;
  const what = `${counted(unread.size, 'refund')} that ${second === undefined ? 'was' : 'were'} pending or unconfirmed could not be read again (${problem}), so the file has what the journal knew`;
  const others = second === undefined ? '' : ', and the others as not_read in the file says';
  notes.warn(`${what}: ${readCommand(change)}${others}`);
}

// A desk of a team has no journal, and the sender hands out no rows as they are stored.
function atTheSender(origin: string, text: string): CliError {
  return new CliError(
    'refused',
    `the evidence is at the sender of this team, ${origin}: its journal has it`,
    {
      certain: 'nothing was written',
      now: [
        `whoever runs the sender gives it to you: ${plainCommand('prove', text, '--to', 'proof.ndjson')}`,
        'what this desk can show of a refund: paydesk journal show CHANGE',
      ],
    },
  );
}

function noteElsewhere({ notes }: Context, period: string, scope: Profile | undefined): void {
  if (scope === undefined) notes.note('refunds of every account: -p NAME takes those of one');
  const words = ['refunds', 'summary', '--by', 'origin', '--period', period];
  notes.note(
    `refunds that were made elsewhere are not in it; how many there are: ${scope === undefined ? plainCommand(...words) : commandLine(scope, ...words)}`,
  );
}

// The account of -p, or that of all refunds if they have only one.
function accountOf(refunds: readonly ProvedRefund[], named: string | undefined): string | null {
  const [only = null, second] = new Set(refunds.map(({ sent }) => sent.account));
  return named ?? (second === undefined ? only : null);
}

const largestFile = 2 ** 28;

async function checkFile(ctx: Context, file: string, signedBy: string | undefined): Promise<undefined> {
  const text = await ctx.file(file, largestFile);
  const key = await ctx.deskKey();
  const expected = signedBy ?? key.publicKey();
  if (expected === undefined)
    throw usage('say whose signature it must be: this desk has no key', [
      plainCommand('prove', '--check', file, '--signed-by', 'KEY'),
    ]);
  const { checkProof } = await loadProofs();
  const checked = checkProof(text, (bytes, signature) => key.isSigned(expected, bytes, signature));
  if (typeof checked === 'string')
    throw new CliError('refused', `${file}: ${checked}`, {
      certain: 'do not rely on it',
      now: [
        ...(signedBy === undefined
          ? ['if another desk wrote it, add --signed-by with its key (desk_key of its profile show)']
          : []),
        'ask whoever gave it to you for another copy',
      ],
    });
  const { refunds, about } = checked;
  const proved = refunds.map(provedShort);
  const record = {
    object: 'proof_check',
    file,
    ok: true,
    refunds: refunds.length,
    signed_by: expected,
    about: about.about ?? null,
    made_at: about.made_at ?? null,
    proved,
  };
  await ctx.out.own(record, () => [
    ...proved.flatMap(shortView),
    {
      line: `${file}: ${counted(refunds.length, 'refund')}, as signed by ${signedBy === undefined ? 'this desk' : expected}`,
    },
  ]);
  return undefined;
}
