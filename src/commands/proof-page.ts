/** Writes what a file of `prove` holds as a page that a bank or a finance department reads and prints. The signed file stays the proof. */

import { isObject, type JsonObject } from '../api/json-values.ts';
import type { Context, Days } from '../context/context.ts';
import { usage } from '../flags/flags.ts';
import { withoutFolder } from '../io.ts';
import { loadProofs } from '../journal/journal.ts';
import { plainCommand } from '../profiles/profiles.ts';
import { loadReportPage, type Page } from '../reports/reports.ts';
import { toJson } from '../terminal/terminal.ts';
import { aboutWords, lostLines, refundsWords } from './proof-lines.ts';

/** A signed file, with its first line and the lines of its refunds. */
interface SignedFile {
  readonly file: string;
  readonly text: string;
  readonly about: JsonObject;
  readonly refunds: readonly JsonObject[];
}

/** Throws CliError 'usage' for a name that is not one of a page, 'refused' for a file that exists, unless `force`. */
export async function checkPage(ctx: Context, page: string | undefined, force: boolean): Promise<void> {
  if (page === undefined) return;
  await ctx.plans.checkNew(page, force);
  if (!/\.html?$/i.test(page)) throw usage(`--page ${page}: the page is HTML, so its name ends in .html`);
}

/** Writes the page of a signed file, with times in the zone of `days`. */
export async function writePage(
  ctx: Context,
  page: string | undefined,
  signed: SignedFile,
  { days, force }: { readonly days: Days; readonly force: boolean },
): Promise<void> {
  if (page === undefined) return;
  const { redaction } = ctx;
  const [reportPage, { proofDigest }] = await Promise.all([loadReportPage(), loadProofs()]);
  const digest = proofDigest(signed.text);
  const html = reportPage(pageOf({ ...signed, digest }, days), (text) =>
    redaction.isOn() ? redaction.text(text) : text,
  );
  await ctx.plans.write(page, html, force);
  ctx.notes.note(`page written: ${page}; the proof is ${signed.file}`);
}

function pageOf(
  { file, digest, about, refunds }: SignedFile & { readonly digest: string },
  days: Days,
): Page {
  const name = withoutFolder(file);
  return {
    title: `Evidence of refunds, ${textOf(about.about)}`,
    alarms: [
      ...lostLines(about).flatMap((block) =>
        block !== 'blank' && 'line' in block && typeof block.line === 'string' ? block.line : [],
      ),
      ...(Array.isArray(about.not_read) ? about.not_read.filter(isObject) : []).map(
        ({ change, problem }) => `${textOf(change)} could not be read again: ${textOf(problem)}.`,
      ),
    ],
    facts: [
      ['About', aboutWords(about)],
      ['Signed file', name],
      ['SHA-256 of it', digest],
      ['Signed by', textOf(about.signed_by)],
      ['Made', timeIn(about.made_at, days)],
    ],
    sections: [
      {
        title: refundsWords(about),
        parts:
          refunds.length === 0
            ? []
            : [
                {
                  table: {
                    name: 'Refunds',
                    columns: columns.map(([title]) => ({ title, isFigure: title === 'Amount' })),
                    rows: refunds.map((line) => columns.map(([, cell]) => cell(line, days))),
                  },
                },
              ],
        empty: 'None was sent from here.',
      },
    ],
    notes: [
      `The proof is ${name}, which is signed: this page only shows what that file says. If you have both, compare the SHA-256 above, and check the file: ${plainCommand('prove', '--check', name, '--signed-by', 'KEY')}, or without paydesk: node check-proof.mjs ${name} KEY. The key comes by another way.`,
      'Confirmed by: what showed last what became of the refund. It is a read of the order, the reply to the request, or a person who recorded it.',
    ],
    json: toJson(about),
  };
}

const columns: readonly (readonly [title: string, cell: (line: JsonObject, days: Days) => string])[] = [
  ['Sent', ({ sent_at: at }, days) => timeIn(at, days)],
  ['Order', ({ order }) => textOf(order)],
  ['Amount', ({ amount_text: amount }) => textOf(amount)],
  ['Refund', ({ refunds }) => textOf(refunds)],
  ['State', ({ state }) => textOf(state)],
  ['Sent by', ({ operator }) => textOf(operator)],
  ['Asked by', ({ asked_by: by, asked_at: at }, days) => personAt(by, at, days)],
  ['Approved by', ({ approved_by: by, approved_at: at }, days) => personAt(by, at, days)],
  ['Confirmed by', confirmedBy],
];

function textOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : '-';
}

function timeIn(seconds: unknown, days: Days): string {
  return typeof seconds === 'number' ? days.full(seconds * 1000) : '-';
}

function personAt(by: unknown, at: unknown, days: Days): string {
  return typeof at === 'number' ? `${textOf(by)}, ${timeIn(at, days)}` : textOf(by);
}

function confirmedBy({ reads, recorded, reply }: JsonObject, days: Days): string {
  const last = (rows: unknown) => (Array.isArray(rows) ? rows.filter(isObject).at(-1) : undefined);
  const at = (row: JsonObject) => timeIn(Number(row.time) / 1000, days);
  const [person, read] = [last(recorded), last(reads)];
  if (read !== undefined) return `a read, ${at(read)}`;
  if (person !== undefined) return `${textOf(person.operator)}, who recorded it, ${at(person)}`;
  return isObject(reply) ? 'the reply' : '-';
}
