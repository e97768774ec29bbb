/** Runs an export: walks every page into stdout or a file, and says whether the result is complete. */

import { longPages, type OpenService, type Page, type WireRecord } from '../../api/api.ts';
import { idOf, type JsonObject } from '../../api/json-values.ts';
import { isCountable } from '../../api/records.ts';
import { type Column, type ResourceName, resources } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { CliError } from '../../errors.ts';
import type {
  ExportFile,
  ExportProblem,
  ExportRow,
  ExportWritten,
  PageWalked,
} from '../../exports/exports.ts';
import { usage } from '../../flags/flags.ts';
import { commandLine, flagWords } from '../../profiles/profiles.ts';
import {
  againWords,
  contentWords,
  type ExportForm,
  type ExportInput,
  exportForm,
  verifyFile,
} from './export-flags.ts';
import {
  countLong,
  endedEarlyWords,
  leftError,
  lostOutput,
  noteLongAmounts,
  refuseGaps,
  stoppedError,
  warnOfOdd,
} from './export-words.ts';

export interface ExportJob {
  readonly resource: ResourceName;
  /** What one row is called, and what several are called: `refund`, `refunds`. */
  readonly row: { readonly one: string; readonly many: string };
  readonly columns: readonly Column[];
  /** The fields of a row that paydesk makes itself. Absent: each row is a record of the service. */
  readonly ownFields?: readonly string[];
  /** The typed flags that choose what is exported. */
  readonly words: readonly string[];
  /** The query as the manifest shows it. Times are Unix seconds. */
  readonly query: () => JsonObject;
  /** Starts making rows. A resumed export uses the `query` of its first run, and goes on from `state`. */
  readonly rows: (query?: JsonObject, state?: JsonObject) => RowMaker;
}

/** Turns records into rows, page by page. */
export interface RowMaker {
  /** Is called with each page, before its rows are asked for. */
  readonly onPage?: (page: Page) => Promise<void> | void;
  readonly rowsOf: (record: WireRecord) => RowsOfRecord;
  /** What a resumed export must know to go on after this page. */
  readonly state?: () => JsonObject;
  readonly isDone?: () => boolean;
  /** What is said at the end, below the count, and in the manifest and the sheet `about`. */
  readonly closingLines: () => readonly string[] | Promise<readonly string[]>;
}

/** The rows of a record, and what they lack because the record does not show it. */
interface RowsOfRecord {
  readonly rows: readonly ExportRow[];
  readonly problems: readonly ExportProblem[];
}

/** Runs an export, or with --verify the check of one. */
export async function runExport(
  ctx: Context,
  input: ExportInput,
  describe: (service: OpenService, written: ExportForm) => Promise<ExportJob>,
): Promise<undefined> {
  if (input.verify !== undefined) return verifyFile(ctx, input.verify, input);
  for (const name of ['max-age', 'signed-by'] as const)
    if (input[name] !== undefined) throw usage(`--${name} needs --verify FILE`);
  const written = exportForm(input, ctx.options.askedFormat);
  const service = await ctx.service({ maxPerSecond: input['max-rps'] });
  const job = await describe(service, written);
  refuseColumns(ctx, service, input, written, job);
  const command = [service.profile, job.resource, 'export', ...job.words] as const;
  // Whole records fill a terminal, and nobody reads them there. Somebody who names a format means it.
  if (input.to === undefined && ctx.options.askedFormat === undefined && ctx.out.copy !== undefined)
    throw usage('an export is for a file, and this is a terminal', [
      commandLine(...command, '--to', `${job.row.many}.csv`),
      `or, to see it here: ${commandLine(...command, '-o', 'ndjson')}`,
    ]);
  if (written.format === 'csv') tellLocalTimes(ctx, input, job);
  const again = [job.resource, 'export', ...job.words, ...againWords(ctx, input)];
  const run: ExportRun = { ctx, service, input, job, again };
  return input.to === undefined ? toStdout(run, written) : toFile(run, written, input.to);
}

// NDJSON and JSON hold whole records, as the service sent them, so columns cannot be chosen there. PAYDESK_COLUMNS is meant for
// lists of any kind, so it is not a mistake here.
function refuseColumns(
  { options, out }: Context,
  { profile }: OpenService,
  { to, 'max-rps': perSecond }: ExportInput,
  { format }: ExportForm,
  { resource, words, columns: known }: ExportJob,
): void {
  const { columns } = options;
  if (columns === undefined || format === 'csv' || format === 'xlsx') return;
  // The printed command must work, so its names are checked first.
  out.checkColumns(known);
  const named = columns.join(',');
  const file = to?.replace(/\.(ndjson|json)(?=(\.gz)?$)/i, '.csv');
  const more = flagWords({ 'max-rps': perSecond, to: file });
  throw usage(`--columns ${named}: ${format} holds whole records; only csv has columns`, [
    commandLine(profile, resource, 'export', ...words, '--columns', named, ...more, '--csv'),
  ]);
}

// --tz adds local times by itself only where nobody chose the columns.
function tellLocalTimes({ options, notes }: Context, { tz }: ExportInput, { columns }: ExportJob): void {
  const { columns: named } = options;
  if (tz === undefined || named === undefined) return;
  const times = named.filter((name) => columns.find((column) => column.name === name)?.kind === 'time');
  const utc = times.filter((name) => !named.includes(`${name}_local`));
  if (utc.length === 0) return;
  const locals = utc.map((name) => `${name}_local`).join(',');
  notes.note(
    `${utc.join(', ')} ${utc.length === 1 ? 'stays' : 'stay'} in UTC; for times in ${tz} add ${locals} to --columns`,
  );
}

async function toStdout(run: ExportRun, form: ExportForm): Promise<undefined> {
  const { ctx, job, input } = run;
  const { format } = form;
  const { tz: zone } = input;
  const sink = ctx.out.list(job.columns, { format, zone, localTimes: zone !== undefined });
  const maker = job.rows();
  const tally = { read: 0, rows: 0 };
  const problems: ExportProblem[] = [];
  let long = 0;
  let last: string | undefined;
  const endProgress = showProgress(run, () => tally);
  try {
    for await (const page of walkRows(run, maker)) {
      await sink.page(page.rows.map(({ record }) => record));
      last = page.last ?? last;
      tally.read += page.read;
      tally.rows += page.rows.length;
      problems.push(...page.problems);
      long += countLong(page.rows);
    }
  } catch (error) {
    const lost = lostOutput(run, format);
    if (lost !== undefined) throw lost;
    if (tally.read > 0) await sink.end(true);
    if (tally.read === 0 || !(error instanceof CliError)) throw error;
    throw stoppedError(error, run, format, { ...tally, last });
  } finally {
    endProgress();
  }
  await sink.end(false);
  noteLongAmounts(run, form, long);
  if (problems.length === 0) ctx.notes.note(`${rowsWords(tally.rows, job)}, complete${maskedWord(ctx)}`);
  for (const line of await maker.closingLines()) ctx.notes.note(line);
  if (problems.length > 0) refuseGaps(run, problems, undefined);
}

// `1 refund`, `2 refunds`
function rowsWords(rows: number, { row }: Pick<ExportJob, 'row'>): string {
  return counted(rows, row.one);
}

// Says that the file is masked, so that nobody takes a token in it for a name.
function maskedWord({ redaction }: Context): string {
  return redaction.isOn() ? ', personal data masked' : '';
}

async function toFile(run: ExportRun, written: ExportForm, to: string): Promise<undefined> {
  const { ctx, job, service, input } = run;
  const file = await ctx.exports.open({
    ...written,
    path: to,
    columns: job.columns,
    localTimes: input.tz !== undefined,
    ownFields: job.ownFields,
    force: input.force === true,
    resume: input.resume === true,
    asked: [job.resource, ...job.words, ...contentWords(ctx, input, written)],
    query: { ...job.query(), ...formOf(ctx, written), ...(ctx.redaction.isOn() ? { redacted: true } : {}) },
    profile: service.profile,
    keyFingerprint: service.keyFingerprint,
  });
  for (const line of file.notes) ctx.notes.warn(line);
  if (file.after !== undefined)
    ctx.notes.note(
      `going on after ${file.after}: the file already has ${rowsWords(file.progress.rows, job)}`,
    );
  const { gaps } = await writePages(run, file, written, to);
  if (gaps !== undefined) refuseGaps(run, gaps.problems, gaps.file);
}

async function writePages(
  run: ExportRun,
  file: ExportFile,
  form: ExportForm,
  to: string,
): Promise<ExportWritten> {
  const { ctx, job } = run;
  let long = 0;
  const endProgress = showProgress(run, () => file.progress);
  try {
    const maker = job.rows(file.query, file.state);
    for await (const page of walkRows(run, maker, file)) {
      await file.page(page.rows, page);
      long += countLong(page.rows);
    }
    const lines = await maker.closingLines();
    const written = await file.complete(lines.map((line) => ctx.redaction.said(line)));
    const { manifest, notes, rows, bytes, gaps } = written;
    noteLongAmounts(run, form, long);
    for (const line of notes) ctx.notes.note(line);
    const complete = gaps === undefined ? 'complete' : 'not complete';
    ctx.notes.note(
      `${to}: ${rowsWords(rows, job)}, ${bytes} bytes, ${complete}${maskedWord(ctx)}; manifest ${manifest}`,
    );
    for (const line of lines) ctx.notes.note(line);
    return written;
  } catch (error) {
    const reason = ctx.signal.aborted ? ctx.signal.reason : error;
    await file.leave(endedEarlyWords(reason, 'paused', run, file.progress.read));
    throw leftError(reason, run, file, to);
  } finally {
    endProgress();
  }
}

// How the file is written, as its manifest says it.
function formOf({ options: { csv } }: Context, { format, gzip }: ExportForm): JsonObject {
  if (format !== 'csv') return { format, gzip };
  return {
    format,
    gzip,
    ...(csv.delimiter === ',' ? {} : { delimiter: csv.delimiter }),
    ...(csv.hasDates ? { times: 'YYYY-MM-DD HH:MM:SS in the zone' } : {}),
  };
}

// Shows count, rate and time while the export runs.
function showProgress(
  { ctx, job }: ExportRun,
  progress: () => { readonly read: number; readonly rows: number },
): () => void {
  const { many } = resources[job.resource];
  const started = ctx.clock.monotonic();
  const before = progress().read;
  return ctx.notes.progress(() => {
    const { read, rows } = progress();
    const seconds = Math.max(1, (ctx.clock.monotonic() - started) / 1000);
    const made = job.row.many === many ? '' : `, ${rows} ${job.row.many}`;
    return `${read} ${many} read${made}, ${Math.round((read - before) / seconds)} per second, ${Math.floor(seconds)} s`;
  });
}

export interface ExportRun {
  readonly ctx: Context;
  readonly service: OpenService;
  readonly input: ExportInput;
  readonly job: ExportJob;
  /** The command line that repeats this export, without `paydesk` and the profile. */
  readonly again: readonly string[];
}

interface RowsOfPage extends PageWalked {
  readonly rows: readonly ExportRow[];
}

/** Walks to the end. Throws CliError 'incomplete' when the service does not say whether a page is the last one. */
async function* walkRows(
  { ctx, service, job, input }: ExportRun,
  maker: RowMaker,
  { after, before }: Partial<Pick<ExportFile, 'after' | 'before'>> = {},
): AsyncGenerator<RowsOfPage> {
  const how = { ahead: true, before };
  const query = { limit: input.limit, next: after };
  let last = after;
  for await (const page of longPages(service, job.resource, query, how)) {
    await maker.onPage?.(page);
    const found = page.records.map((record) => maker.rowsOf(record));
    last = idOf(page.records.at(-1)) ?? last;
    const odd = page.records.filter(({ value }) => !isCountable(job.resource, value));
    if (odd.length > 0) warnOfOdd(ctx, odd);
    yield {
      rows: found.flatMap(({ rows }) => rows),
      last,
      read: page.records.length,
      repeated: page.repeated,
      odd: odd.length,
      problems: found.flatMap(({ problems }) => problems),
      ids: page.records.flatMap((record) => idOf(record) ?? []),
      state: maker.state?.() ?? {},
    };
    if (maker.isDone?.() === true) return;
  }
}
