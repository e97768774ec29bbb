/** What every export does: walk to the end, page by page, into stdout or a file, and claim nothing that is not so. */

import {
  type Column,
  idOf,
  isCountable,
  type JsonObject,
  type ResourceName,
  resources,
} from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type {
  Context,
  ExportFile,
  ExportRow,
  OpenService,
  Page,
  PageWalked,
  WireRecord,
} from '../../ports.ts';
import { commandLine } from '../account.ts';
import { brokeOff, widePages } from '../walk.ts';
import { type ExportInput, type Written, writtenAs } from './flags.ts';
import { refuseLoneMaxAge, verifyFile } from './verify.ts';
import { againWords, contentWords } from './words.ts';

/** What is exported. */
export interface Export {
  readonly resource: ResourceName;
  /** What a row is: `orders`, `refunds`. */
  readonly rowsWord: string;
  readonly columns: readonly Column[];
  /** The flags that say what is exported, as they would be typed again. */
  readonly words: readonly string[];
  /** The same for the manifest; times are Unix seconds. */
  readonly query: () => JsonObject;
  /** Makes rows: as asked, or by the query of the first run of an export to a file, from the state where it goes on. */
  readonly rows: (query?: JsonObject, state?: JsonObject) => RowMaker;
}

/** Rows out of records, as their pages come. */
export interface RowMaker {
  /** Each page as it was read, before its rows are asked for. */
  readonly see?: (page: Page) => void;
  /** The rows of a record. Throws CliError 'incomplete' where the record does not show all of them. */
  readonly rowsOf: (record: WireRecord) => readonly ExportRow[];
  /** Records left out so far since they do not show what the query asks about. */
  readonly left: () => number;
  /** What a maker that goes on after this page has to know. */
  readonly state?: () => JsonObject;
  /** Whether no row can follow what was seen. */
  readonly over?: () => boolean;
  /** What there is to say in the end. */
  readonly closing: () => readonly string[];
}

/** Runs an export, or the check of one. */
export async function runExport(
  ctx: Context,
  input: ExportInput,
  describe: (service: OpenService, written: Written) => Promise<Export>,
): Promise<undefined> {
  if (input.verify !== undefined) return verifyFile(ctx, input.verify, input['max-age']);
  refuseLoneMaxAge(input['max-age']);
  const written = writtenAs(input, ctx.options.askedFormat);
  const service = await ctx.service();
  const job = await describe(service, written);
  const again = [job.resource, 'export', ...job.words, ...againWords(ctx, input)];
  const run: Run = { ctx, service, input, job, again };
  return input.to === undefined ? toStdout(run, written) : toFile(run, written, input.to);
}

interface Run {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly input: ExportInput;
  readonly job: Export;
  /** The words of this export, to be typed again. */
  readonly again: readonly string[];
}

async function toStdout(run: Run, { format }: Written): Promise<undefined> {
  const { ctx, job, service, again } = run;
  const sink = ctx.out.list(job.columns, format);
  const maker = job.rows();
  const tally = { read: 0, rows: 0 };
  let last: string | undefined;
  const over = tell(run, tally);
  try {
    for await (const page of walked(run, maker)) {
      await sink.page(page.rows.map(({ record }) => record));
      last = page.last ?? last;
      tally.read += page.read;
      tally.rows += page.rows.length;
    }
  } catch (error) {
    if (tally.read > 0) await sink.end(true);
    if (tally.read === 0 || !(error instanceof CliError)) throw error;
    throw new CliError(kindOf(error), error.message, {
      ...error.parts,
      certain: `${tally.rows} ${job.rowsWord} were written, up to ${last}; this is not all`,
      now: [
        ...(error.parts.now ?? []),
        `run it again, or into a file, which can be resumed: ${commandLine(service.profile, ...again, '--to', `FILE.${format}`)}`,
      ],
      cause: error,
    });
  } finally {
    over();
  }
  await sink.end(false);
  for (const line of maker.closing()) ctx.notes.note(line);
  ctx.notes.note(`${tally.rows} ${job.rowsWord}, complete`);
  return undefined;
}

async function toFile(run: Run, written: Written, to: string): Promise<undefined> {
  const { ctx, job, service, input } = run;
  const file = await ctx.exports.open({
    ...written,
    path: to,
    columns: job.columns,
    force: input.force === true,
    resume: input.resume === true,
    asked: [job.resource, ...job.words, ...contentWords(ctx, input, written)],
    query: { ...job.query(), format: written.format, gzip: written.gzip },
    profile: service.profile,
    keyFingerprint: service.keyFingerprint,
  });
  for (const line of file.notes) ctx.notes.warn(line);
  if (file.after !== undefined)
    ctx.notes.note(`going on after ${file.after}: ${file.progress.rows} ${job.rowsWord} are there`);
  const maker = job.rows(file.query, file.state);
  const over = tell(run, file.progress, () => file.progress);
  try {
    for await (const page of walked(run, maker, file)) await file.page(page.rows, page);
    const { manifest, rows, bytes } = await file.complete();
    over();
    for (const line of maker.closing()) ctx.notes.note(line);
    ctx.notes.note(`${to}: ${rows} ${job.rowsWord}, ${bytes} bytes, complete; manifest ${manifest}`);
    return undefined;
  } catch (error) {
    over();
    const reason = ctx.signal.aborted ? ctx.signal.reason : error;
    await file.leave(reason instanceof Error ? reason.message : String(reason));
    throw leftError(reason, run, file, to);
  } finally {
    over();
  }
}

/** A page of the walk as rows, and how far it came. */
interface RowsOfPage extends PageWalked {
  readonly rows: readonly ExportRow[];
}

async function* walked(
  { ctx, service, job, input }: Run,
  maker: RowMaker,
  { after, before }: Partial<Pick<ExportFile, 'after' | 'before'>> = {},
): AsyncGenerator<RowsOfPage> {
  const how = { ahead: true, maxPerSecond: input['max-rps'], before };
  const query = { limit: input.limit, next: after };
  let last = after;
  for await (const page of widePages(service, job.resource, query, how)) {
    if (!page.saysHasMore)
      throw new CliError('incomplete', 'the service does not say whether more follow (no has_more)');
    maker.see?.(page);
    const leftBefore = maker.left();
    const rows = page.records.flatMap((record) => maker.rowsOf(record));
    last = idOf(page.records.at(-1)) ?? last;
    const odd = page.records.filter(({ value }) => !isCountable(job.resource, value));
    if (odd.length > 0) sayOdd(ctx, odd);
    yield {
      rows,
      last,
      read: page.records.length,
      repeated: page.repeated,
      odd: odd.length,
      left: maker.left() - leftBefore,
      ids: page.records.flatMap((record) => idOf(record) ?? []),
      state: maker.state?.() ?? {},
    };
    if (maker.over?.() === true) return;
  }
}

function sayOdd({ notes }: Context, odd: readonly WireRecord[]): void {
  const [first] = odd;
  const more = odd.length === 1 ? '' : ` and ${odd.length - 1} more`;
  notes.warn(
    `${idOf(first) ?? 'a record without id'}${more}: not as the service documents them; exported as they came`,
  );
}

// Count, rate and time, while it lasts.
function tell({ ctx, job }: Run, tally: { read: number; rows: number }, now = () => tally): () => void {
  const { many } = resources[job.resource];
  const started = ctx.clock.monotonic();
  const before = tally.read;
  return ctx.notes.progress(() => {
    const { read, rows } = now();
    const seconds = Math.max(1, (ctx.clock.monotonic() - started) / 1000);
    const made = job.rowsWord === many ? '' : `, ${rows} ${job.rowsWord}`;
    return `${read} ${many} read${made}, ${Math.round((read - before) / seconds)} a second, ${Math.floor(seconds)} s`;
  });
}

function kindOf(error: CliError): CliError['kind'] {
  const { kind } = error;
  return brokeOff(error) ? 'incomplete' : kind;
}

// What is certain of a file that is not complete, and how to go on with it.
function leftError(error: unknown, run: Run, file: ExportFile, to: string): unknown {
  const { read, rows } = file.progress;
  if (!(error instanceof CliError) || read === 0) return error;
  // A name that is taken stays taken.
  const force = run.input.force === true || file.taken ? ['--force'] : [];
  const line = commandLine(run.service.profile, ...run.again, '--to', to, '--resume', ...force);
  return new CliError(kindOf(error), error.message, {
    ...error.parts,
    certain: `${rows} ${run.job.rowsWord} are in ${file.partial}; ${to} was not written`,
    now: [...(error.kind === 'auth' ? (error.parts.now ?? []) : []), `go on with it: ${line}`],
    cause: error,
  });
}
