/** `prove`: the refunds of a period in one signed file, which a finance department or a bank checks without paydesk. */

import type { JsonObject } from '../api/spec.ts';
import { type Context, dryRunShown } from '../context/context.ts';
import { counted } from '../counted.ts';
import { CliError } from '../errors.ts';
import { flag, usage } from '../flags/flags.ts';
import { type Period, parsePeriod } from '../flags/typed-period.ts';
import { clockAndZoneOf } from '../flags/typed-time.ts';
import {
  isOfLivemode,
  isOpen,
  isSameOrigin,
  loadProofs,
  type Moment,
  type ProvedRefund,
  type SentRow,
} from '../journal/journal.ts';
import { commandLine, plainCommand } from '../profiles/profiles.ts';
import { type Figure, plus } from '../reports/reports.ts';
import { toJson } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';
import { signedByFlag } from './export-flags.ts';
import { recordOf } from './journal/attempt-record.ts';
import { scopeOf } from './journal/attempts.ts';

const example = 'paydesk -p demo prove last-month --to refunds-proof.ndjson';

export const prove = defineCommand({
  description:
    'Writes each refund that was sent from here in a period into one file: who sent, who asked, who approved, what was sent, what the service said, and its rows of the journal. The file is signed with the key of this desk. --check checks such a file, and docs/check-proof.mjs does it without paydesk.',
  arguments: [
    {
      name: 'period',
      summary: 'the time in which the refunds were sent: last-month, 2026-11, SINCE..UNTIL',
      required: false,
      parse: (text: string) => parsePeriod(text, 'PERIOD'),
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
  examples: [example, 'paydesk prove --check refunds-proof.ndjson --json'],
  exits: { 3: 'with --check: the file was changed, or another key signed it' },
  async run(ctx, { args: [period], flags }) {
    const { to, check, force = false } = flags;
    if (check !== undefined) return checkFile(ctx, check, flags['signed-by']);
    if (period === undefined || to === undefined)
      throw usage(`missing ${period === undefined ? 'PERIOD' : '--to'}`, [example]);
    await ctx.plans.checkNew(to, force);
    const would = `would write the refunds of ${period.text} into ${to}`;
    if (await dryRunShown(ctx, { action: 'prove', file: to, period: period.text }, would)) return undefined;
    return writeFile(ctx, period, to, force);
  },
});

async function writeFile(ctx: Context, period: Period, file: string, force: boolean): Promise<undefined> {
  const scope = await scopeOf(ctx, false);
  const range = period.range(clockAndZoneOf(ctx));
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = range;
  const isAsked = (sent: SentRow): boolean =>
    sent.time >= since &&
    sent.time < until &&
    (scope === undefined ||
      (isSameOrigin(sent.origin, scope.origin) && isOfLivemode(sent, scope.mode === 'production')));
  const { provedRefunds, proofText, withoutBodies } = await loadProofs();
  // A row without the part that may name people is still genuine: its hash covers the digest of that part.
  const isMasked = ctx.redaction.isOn();
  const { refunds, head } = await ctx.journal.readRows((rows) =>
    provedRefunds(isMasked ? withoutBodies(rows) : rows, isAsked),
  );
  const [now, key] = [await ctx.journal.now(), await ctx.deskKey()];
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.ceil(ms / 1000));
  const about = {
    object: 'proof',
    version: 1,
    account: accountOf(refunds, scope?.account),
    since: seconds(range.since),
    until: seconds(range.until),
    zone: ctx.zone(),
    made_at: Math.floor(now.time / 1000),
    refunds: refunds.length,
    sums: sumsOf(refunds.map((refund) => recordOf(refund, isOpen(refund, now)))),
    journal_head: head ?? null,
    signed_by: key.made(),
  };
  const lines = [about, ...refunds.map((refund) => lineOf(refund, now))].map((line) => toJson(line));
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
  if (scope === undefined) ctx.notes.note('refunds of every account: -p NAME takes those of one');
  const elsewhere = ['refunds', 'summary', '--by', 'origin', '--period', period.text];
  ctx.notes.note(
    `refunds that were made elsewhere are not in it; how many there are: ${scope === undefined ? plainCommand(...elsewhere) : commandLine(scope, ...elsewhere)}`,
  );
  return undefined;
}

// The account of -p, or that of all refunds if they have only one.
function accountOf(refunds: readonly ProvedRefund[], named: string | undefined): string | null {
  const [only = null, second] = new Set(refunds.map(({ sent }) => sent.account));
  return named ?? (second === undefined ? only : null);
}

/** One refund: its record as `journal list` has it, what it was decided on, what was sent, what was learnt, and the rows that say so. */
function lineOf(refund: ProvedRefund, now: Moment): JsonObject {
  const { sent, verdicts, approvals, rows } = refund;
  const { request, proof } = sent;
  return {
    ...recordOf(refund, isOpen(refund, now)),
    object: 'proved_refund',
    // What the screen before the yes was made of.
    shown: { amount: sent.amount, currency: sent.currency, expected: proof.expected, order: proof.before },
    // The body byte for byte; null once it was erased, and while personal data is masked.
    sent: {
      method: request.method,
      path: request.path,
      body: request.body === undefined ? null : JSON.stringify(request.body),
    },
    reply: verdicts[0]?.by === 'reply' ? verdicts[0] : null,
    // A read that confirms a reply keeps where the verdict came from.
    reads: verdicts.filter(({ by }, index) => by === 'read' || (by === 'reply' && index > 0)),
    recorded: verdicts.filter(({ by }) => by === 'person' || by === 'sender'),
    approvals,
    rows,
  };
}

function sumsOf(records: readonly JsonObject[]): readonly JsonObject[] {
  const groups = Map.groupBy(records, ({ state, currency }) => JSON.stringify([state, currency]));
  return [...groups.values()].map((own) => ({
    state: own[0]?.state ?? null,
    currency: own[0]?.currency ?? null,
    refunds: own.length,
    amount: own.reduce<Figure>((sum, { amount }) => plus(sum, typeof amount === 'number' ? amount : 0), 0),
  }));
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
  const record = { object: 'proof_check', file, ok: true, refunds: checked.refunds, signed_by: expected };
  await ctx.out.own(record, () => [
    {
      line: `${file}: ${counted(checked.refunds, 'refund')}, as signed by ${signedBy === undefined ? 'this desk' : expected}`,
    },
  ]);
  return undefined;
}
