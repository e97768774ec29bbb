/** Says all errors of an input file and refuses it, and keeps the files that are written from replacing those that are read. */

import { bareReference, spokenReference } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { counted, namedUpTo } from '../../counted.ts';
import { CliError, refused } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { withoutFolder } from '../../io.ts';
import {
  errorsCsv,
  type InputFile,
  type InputProblem,
  type InputRow,
  type Plan,
  type PlanRow,
} from '../../plans/plans.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { noOrder, orderIdOf, orderIdsOf, type ReadOrders } from './found-orders.ts';
import type { StatusAsked } from './plan-status.ts';

/** The file that is refused, and where its rows go with the errors beside them. */
export interface RefusedFile {
  readonly file: string;
  readonly errors: string | undefined;
  readonly force: boolean;
}

/**
 * Returns what `look` finds out about the orders of a file in which errors (`found`) were found already. If the service cannot be
 * asked, those errors are reported all the same.
 */
export async function lookAtOrders<T>(
  ctx: Context,
  input: InputFile,
  found: readonly InputProblem[],
  asked: RefusedFile,
  look: () => Promise<T>,
): Promise<T> {
  if (input.rows.length === 0) await refuseProblems(ctx, input, found, asked);
  try {
    return await look();
  } catch (error) {
    if (found.length === 0 || ctx.signal.aborted || !(error instanceof CliError)) throw error;
    ctx.notes.warn(`no order was looked at: ${error.message}`);
    await refuseProblems(ctx, input, found, asked);
    throw error;
  }
}

/**
 * Says how the columns of a file are read; `without`: what is compared if the file has no amounts; a plan, which needs them,
 * gives none.
 */
export function sayUnread(ctx: Context, { unread, readAs, hasAmount }: InputFile, without?: string): void {
  const names = ctx.redaction.isOn()
    ? `${counted(unread.length, 'column')} not read`
    : `not read: ${namedUpTo(namedMost, unread)}`;
  const hasTitle = readAs.some(({ column }) => column.startsWith('amount'));
  const as = readAs.map(({ title, column }) => `${title} as ${column}`).join(', ');
  if (as !== '' && !ctx.redaction.isOn()) ctx.notes.note(`read: ${as}`);
  if (unread.length > 0)
    ctx.notes.note(
      hasAmount && !hasTitle && without !== undefined
        ? `${names}; amount is the column with the money`
        : names,
    );
  if (!hasAmount && without !== undefined) ctx.notes.note(`no amount column: ${without}`);
}

// The most columns or rows that are named: an export has dozens.
const namedMost = 6;

/** References and authorization codes that no order has, or several. */
export function referenceProblems(rows: readonly InputRow[], orders: ReadOrders): readonly InputProblem[] {
  return rows.flatMap((row) => {
    const ids = orderIdsOf(row, orders);
    if (ids.length === 1) return [];
    const { line, reference, authCode, isInId } = row;
    const some = ids.slice(0, 3).join(', ');
    const words =
      ids.length === 0
        ? noneNamed(row)
        : reference === undefined
          ? `${ids.length} orders have the auth_code ${authCode}: ${some}; name the right one in a column order_id`
          : `${ids.length} orders have the shop's own number ${reference}: ${some}`;
    const column = reference === undefined ? 'auth_code' : isInId ? 'order_id' : 'reference';
    return [{ line, column, words }];
  });
}

/** What to say about a row whose reference or authorization code no order has. */
export function noneNamed({ reference, authCode }: Pick<InputRow, 'reference' | 'authCode'>): string {
  if (reference === undefined) return `no charge and no refund has the auth_code ${authCode}`;
  return reference.startsWith('ord_')
    ? noOrder(reference)
    : `no order has the shop's own number ${reference}`;
}

/** Says which orders are meant where a row has the shop's own number instead of an id. */
export function sayReferences(
  ctx: Pick<Context, 'notes'>,
  rows: readonly InputRow[],
  orders: ReadOrders,
): void {
  const said = rows.flatMap((row) => {
    // An id in capitals may be under either title.
    const { reference = '' } = row;
    const isSpelt = orders.byReference.has(bareReference(reference));
    const [spoken] = isSpelt ? [] : (orders.bySpoken.get(spokenReference(reference)) ?? []);
    const isSaid = row.isInId || reference.startsWith('ord_') || spoken !== undefined;
    const id = isSaid ? orderIdOf(row, orders) : '';
    const own = spoken === undefined ? '' : `${spoken.own}, `;
    return id === '' ? [] : [`line ${row.line}: ${reference} is ${own}${id}`];
  });
  for (const line of said.slice(0, namedMost)) ctx.notes.note(line);
  const more = said.length - namedMost;
  if (more > 0) ctx.notes.note(`and ${counted(more, 'more row')} without the id of the order`);
}

// More lines than this are no help on a screen; --errors has them all.
const shownProblems = 200;
const shownBesideFile = 20;

/** Throws CliError 'usage' if there are problems, after it has said all of them. */
export async function refuseProblems(
  ctx: Context,
  input: InputFile,
  found: readonly InputProblem[],
  { file, errors, force }: RefusedFile,
): Promise<void> {
  if (found.length === 0) return;
  // A problem with a cell repeats the text of the cell.
  if (ctx.redaction.isOn())
    ctx.redaction.learn([
      { titles: input.columns },
      ...input.lines.map((line) => ({
        input: Object.fromEntries(line.cells.map((cell, at) => [input.columns[at] ?? '', cell])),
      })),
    ]);
  const problems = found.toSorted((one, other) => one.line - other.line);
  const most = errors !== undefined && input.canCorrect ? shownBesideFile : shownProblems;
  for (const problem of problems.slice(0, most))
    ctx.notes.warn(`${input.addressOf?.(problem) ?? `line ${problem.line}`}: ${problem.words}`);
  if (problems.length > most)
    ctx.notes.warn(
      `and ${problems.length - most} more: ${errors === undefined ? '--errors FILE.csv writes all of them' : `all of them are in ${errors}`}`,
    );
  const many = counted(problems.length, 'error');
  const title = `${nameOf(file)} has ${many}`;
  // What cannot be read cannot be corrected either: a file of errors would hold broken characters, and be accepted with them.
  if (!input.canCorrect) {
    const none = errors === undefined ? [] : [`${errors} was not written: it could not be corrected there`];
    throw usage(title, [...none, 'correct the file itself, or save it anew; then run the command again']);
  }
  // An errors file has problems with the titles beside no row, so it would not help.
  const isHeading = problems.every(({ line }) => line === 1);
  if (errors === undefined)
    throw usage(title, [
      isHeading
        ? 'correct the first line of the file, which has the titles of its columns'
        : ctx.redaction.isOn()
          ? 'correct the file'
          : 'correct the file; --errors FILE.csv writes it with the errors beside the rows',
    ]);
  try {
    await ctx.plans.write(errors, errorsCsv(input, problems), force);
  } catch (error) {
    // Even if the errors file cannot be written, the input file is wrong.
    if (!(error instanceof CliError)) throw error;
    throw usage(`${title}, and the file for them was not written: ${error.message}`, error.parts.now ?? []);
  }
  const again = problems.some(({ repeats }) => repeats !== undefined) ? [againWords] : [];
  throw usage(title, [`correct the rows in ${errors}; then run the command with that file`, ...again]);
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** What is written, by the flag that names it. */
type Written = Readonly<Record<`--${string}`, string | undefined>>;

/** What must stay, by what it is: `the input file`, `the plan`. */
type Kept = Readonly<Record<string, string | undefined>>;

/**
 * Throws CliError 'usage' with its name if a written file would replace one that must stay, even with --force. No spelling of a
 * path and no link gets around that.
 */
export async function checkWritten(
  { plans, refuseOwnFile, redaction }: Context,
  written: Written,
  kept: Kept,
): Promise<void> {
  for (const flag of ['--errors', '--rest'] as const)
    if (written[flag] !== undefined && redaction.isOn())
      // A masked row could not be sent: its note and its reference would no longer be the same.
      throw refused(
        `${flag} would write rows of the file as they are, and personal data is masked now`,
        ['leave it out, or ask somebody who may see the rows (paydesk help output)'],
        'redacted',
      );
  const taken: [what: string, path: string][] = [];
  for (const [what, path] of Object.entries(kept)) if (path !== undefined) taken.push([what, path]);
  for (const [flag, path] of Object.entries(written)) {
    if (path === undefined) continue;
    refuseOwnFile(path);
    for (const [what, one] of taken)
      if (await plans.isSameFile(one, path)) throw wouldReplace(flag, path, what);
    taken.push([`the file of ${flag}`, path]);
  }
}

/** The same for the files that take rows of a plan. The plan knows only the name of its input file, not the folder. */
export async function checkRest(
  ctx: Context,
  { rest, to, path }: Pick<StatusAsked, 'rest' | 'to' | 'path'>,
  plan: Plan,
): Promise<void> {
  await checkWritten(ctx, { '--rest': rest, '--to': to }, { 'the plan': path });
  if (rest !== undefined && withoutFolder(rest) === plan.file && (await ctx.plans.exists(rest)))
    throw wouldReplace('--rest', rest, 'called like the input file of the plan');
}

/**
 * A name beside a plan that no file has yet, for a command that paydesk suggests: `march-2.plan` for the plan made anew,
 * `march-rest.csv` for the rows that are left.
 */
export async function freeName(
  { plans }: Pick<Context, 'plans'>,
  path: string,
  what: 'plan' | 'rest',
): Promise<string> {
  const whole = path.replace(/\.plan$/i, '');
  // `march-2.plan` was made anew from `march.plan`. But a name that is a date ends in a number too.
  const first = whole.replace(/-[1-9]\d?$/, '');
  const stem = first !== whole && (await plans.exists(`${first}.plan`)) ? first : whole;
  const nameOf = (count: number) => {
    if (what === 'plan') return `${stem}-${count + 1}.plan`;
    return `${stem}-rest${count === 1 ? '' : `-${count}`}.csv`;
  };
  for (let count = 1; ; count += 1) {
    const name = nameOf(count);
    if (!(await plans.exists(name))) return name;
  }
}

// If there are more ids than this, the suggested command writes a file.
const namedMostly = 4;

/**
 * How rows that would repeat a refund are sent all the same: in one step, or by a cell in each row if there are many. Nothing if
 * there are none.
 */
export async function againLines(
  ctx: Context,
  rows: readonly PlanRow[],
  path: string,
  profile: Pick<Profile, 'kind' | 'name'>,
): Promise<readonly string[]> {
  // A row may be stopped by something else, whatever its cell asks.
  const named = rows.flatMap(({ repeats = '', why = '' }) => (why.includes(repeats) ? [repeats] : []));
  const names = [...new Set(named.filter((name) => name !== ''))];
  if (names.length === 0) return [];
  const words =
    names.length > namedMostly
      ? ['status', path, '--rest', await freeName(ctx, path, 'rest')]
      : ['plan', '--refresh', path, '--to', await freeName(ctx, path, 'plan'), '--again', names.join(',')];
  return [`if the same amount should go back once more: ${commandLine(profile, 'refunds', ...words)}`];
}

/** What to do in a file of rows if one of them would repeat a refund. */
export const againWords =
  'the column again names the refund that a row would repeat: take away the ? if that is meant';

function wouldReplace(flag: string, path: string, what: string): Error {
  return usage(`${flag} ${path} is ${what}, which must stay as it is`, [`name another file with ${flag}`]);
}
