/** `report`: one HTML file about the refunds of a period, for a lead who mails it, or its tables as a workbook for an accountant. */

import { placesOf } from '../amounts.ts';
import type { JsonObject } from '../api/json-values.ts';
import { secondsOf } from '../api/spec.ts';
import { type Context, dryRunShown } from '../context/context.ts';
import { counted } from '../counted.ts';
import { flag, usage } from '../flags/flags.ts';
import { periodOf, timeFlags } from '../flags/typed-period.ts';
import { twinSeconds } from '../orders/orders.ts';
import { commandLine, plainCommand, profileNamed } from '../profiles/profiles.ts';
import { loadReportPage, type Page } from '../reports/reports.ts';
import { toJson } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';
import { collectOpenCases } from './open-cases.ts';
import { gatherFigures, type ReportFigures } from './report/report-figures.ts';
import { openSource, sourceFlags, sumsExits } from './report/report-flags.ts';
import { aboutWords, zoneWords } from './report/report-period.ts';
import { firstColumns, firstFields, lastColumns, lastFields, sayAsOf } from './report/report-rows.ts';
import {
  capital,
  headlineFacts,
  type ReportHow,
  sectionsOf,
  waitingFacts,
} from './report/report-sections.ts';
import type { Source } from './report/report-source.ts';
import { figuresForPrograms, sheetsOf } from './report/report-tables.ts';
import { amountsOf, gapLines, gapWords, isComplete, labelWords, refuseGaps } from './report/report-words.ts';

const usualPeriod = 'this-month';
const workbookName = /\.xlsx$/i;

export const report = defineCommand({
  description:
    'Writes sums, rate, days, reasons, operators, cards, the largest refunds, waiting orders, possible twins and open cases into one HTML file, or each table of them into a sheet of FILE.xlsx. Names of buyers and notes are left out; --names puts them in, and paydesk orders export --verify FILE.html says whether a report is as it was written. If this machine has an index, the numbers come from there, unless --live is given.',
  flags: {
    ...sourceFlags,
    ...timeFlags(usualPeriod),
    to: {
      ...flag.text('FILE', 'write the report into this file, report.html or report.xlsx; needed', {
        writes: true,
      }),
      list: workbookName,
    },
    names: flag.switch('with the names of buyers and the notes of refunds'),
    force: flag.switch('replace the file of --to'),
  },
  examples: [
    'paydesk -p demo report --period last-month --to report.html',
    'paydesk -p demo report --to report.html --force --json --no-input',
  ],
  exits: sumsExits,
  async run(ctx, { flags }): Promise<undefined> {
    const { to: file, names = false, force = false } = flags;
    const asked = periodOf(flags);
    const words = ['report', ...(asked === undefined ? [] : ['--period', asked.text]), '--to'];
    if (file === undefined)
      throw usage('say into which file the report goes', [commandHere(ctx, ...words, 'report.html')]);
    const isBook = workbookName.test(file);
    await refuseFile(ctx, file, force, flags['from-file']);
    if (!isBook && !/\.html?$/i.test(file))
      throw usage(`--to ${file}: the report is HTML or a workbook, so its name ends in .html or .xlsx`, [
        commandHere(ctx, ...words, `${file.replace(/\.[^./]*$/, '')}.html`),
      ]);
    if (isBook && ctx.options.columns !== undefined)
      throw usage('--columns: each sheet of a report has its own columns, and all of them', [
        commandHere(ctx, ...words, file),
      ]);
    const { typedLang = 'en' } = ctx.options;
    if (!/^en\b/i.test(typedLang))
      throw usage(`--lang ${typedLang}: the report is in English; --lang is for what the service says`, [
        commandHere(ctx, ...words, file),
      ]);
    const period = periodOf(flags, usualPeriod);
    const would = `would write a report of ${period.text} into ${file}`;
    if (await dryRunShown(ctx, { action: 'report', file, period: period.text }, would)) return undefined;
    const open = collectOpenCases(ctx);
    const source = await openSource(ctx, {
      flags,
      period,
      see: open.see,
      needs: {
        kind: 'everything',
        makers: true,
        waiting: 'too',
        marginSeconds: twinSeconds,
        before: true,
        unshown: true,
        names,
      },
    });
    const figures = await gatherFigures(ctx, source, flags.currency, open);
    const isMasked = ctx.redaction.isOn();
    const how: ReportHow = {
      source,
      // A title shows the zone by its name.
      period: aboutWords(ctx, source).replace(/\(.*\)/, `(${source.zone})`),
      names: names && !isMasked,
      listTwins: commandHere(ctx, 'orders', 'twins', '--period', period.text),
      made: { at: ctx.clock.now(), by: (await ctx.journal.member()) ?? ctx.plans.operator },
    };
    if (isBook) await writeBook(ctx, figures, how);
    else {
      const reportPage = await loadReportPage();
      const html = reportPage(pageOf(figures, how), (text) => (isMasked ? ctx.redaction.text(text) : text));
      await ctx.plans.write(file, html, force);
      await showWritten(ctx, file, figures, source);
    }
    noteOpen(ctx, figures);
    // How to make the sums exact is said to whoever makes the file, and not to whoever reads it.
    if (source.kind === 'index') sayAsOf(ctx, source);
    refuseGaps(figures.time.gaps, 'refunds and payments');
  },
});

// Checked first, so that nothing is read for a report that cannot be written.
async function refuseFile(
  { plans }: Context,
  file: string,
  force: boolean,
  read: string | undefined,
): Promise<void> {
  const kept = read === undefined ? [] : [read, `${read}.manifest.json`];
  for (const one of kept)
    if (await plans.isSameFile(one, file))
      throw usage(`--to ${file}: the report is made of this file, so it cannot replace it`, [
        'name another file with --to',
      ]);
  await plans.checkNew(file, force);
}

function pageOf(figures: ReportFigures, how: ReportHow): Page {
  const { source } = how;
  const { gaps } = figures.time;
  const unsummed = figures.time.totals.reduce((sum, { sums }) => sum + Number(sums.unsummed), 0);
  return {
    title: `Refunds, ${how.period}`,
    alarms: isComplete(gaps)
      ? []
      : [
          `Not complete: ${gapWords(gaps, 'refunds and payments')}. The sums may be too low.`,
          ...gapLines(gaps),
        ],
    facts: factsOf(figures, how),
    sections: sectionsOf(figures, how),
    notes: [
      'Of paid: refunds made in a time, of the payments of the same time. What went back of the payments until now makes another rate. Change: what was refunded in this period, against the line below it; the same days end at the same time of day.',
      `${amountsNote(figures, source)}Two currencies are never added together. Sums are exact, of any size.`,
      'Reason and operator come from the journal of the machine that wrote this report. Elsewhere: a refund that is not from this machine.',
      source.kind === 'index'
        ? 'The orders were read before this report was asked for, and kept on the machine that wrote it (its index): what was refunded after they were read is missing.'
        : 'What was refunded while the orders were read may be missing.',
      ...(unsummed === 0 ? [] : [`Unsummed ${unsummed}: no amount is shown, so no sum has them.`]),
      how.names
        ? 'This file holds names of buyers and notes. Mail it only to people who may read them.'
        : 'Names of buyers and notes are left out.',
    ],
    json: toJson({
      object: 'report',
      ...firstFields(source),
      account: labelWords(source),
      made_at: secondsOf(how.made.at),
      made_by: how.made.by,
      read: source.readWords(),
      ...figuresForPrograms(figures, how),
      gaps: { hidden: gaps.hidden.length, undated: gaps.undated.length },
      ...lastFields(source, isComplete(gaps)),
    }),
  };
}

function factsOf(figures: ReportFigures, how: ReportHow): Page['facts'] {
  const { source } = how;
  return [
    ...headlineFacts(figures, how),
    ['Account', labelWords(source)],
    ['Made', `${source.days.full(how.made.at)} by ${how.made.by}`],
    ...source.asOfLinesOfFile().map(([label, text]) => [capital(label), text] as const),
    ['Time zone', zoneWords(source)],
    ...waitingFacts(figures, how),
  ];
}

// The tables as sheets. What a page says above its tables is on the sheet about them, and on the screen.
async function writeBook({ out, notes }: Context, figures: ReportFigures, how: ReportHow): Promise<void> {
  const sums = figures.time.totals.map(({ currency, sums: { refunded, paid, net } }) => ({
    currency: currency ?? null,
    refunded,
    paid,
    net,
  }));
  await out.ownSheets(sheetsOf(figures, how), { zone: how.source.zone, sums });
  notes.note(`Refunds, ${how.period}`);
  for (const [label, text] of factsOf(figures, how))
    notes.note(`${label}: ${text.replaceAll('\u00a0', ' ')}`, 2);
}

// Amounts of a currency without declared decimals are shown as the service sends them.
function amountsNote({ time: { totals } }: ReportFigures, source: Source): string {
  const isPlain = totals.some(({ currency }) => placesOf(currency, amountsOf(source)) === undefined);
  return isPlain ? 'Amounts without decimals are in the units of the service. ' : '';
}

async function showWritten(
  ctx: Context,
  file: string,
  { time: { totals, gaps }, openCases }: ReportFigures,
  source: Source,
): Promise<void> {
  const { out } = ctx;
  const complete = isComplete(gaps);
  const refunds = totals.reduce((sum, { sums }) => sum + Number(sums.refunds), 0);
  const record: JsonObject = {
    object: 'report_file',
    file,
    ...firstFields(source),
    refunds,
    open_cases: openCases.length,
    ...lastFields(source, complete),
  };
  await out.own(
    record,
    () => [
      { line: `report written: ${file}` },
      { line: `${counted(refunds, 'refund')}; ${source.readWords()}`, hang: 2 },
      ...(complete ? [] : [{ line: 'NOT COMPLETE: the report says so, and see below' }]),
    ],
    [...firstColumns, ...lastColumns],
  );
}

function noteOpen(ctx: Context, { openCases }: ReportFigures): void {
  const { notes } = ctx;
  const doubted = openCases.filter(({ what }) => what === 'order');
  const open = openCases.length - doubted.length;
  if (open > 0) notes.note(`${counted(open, 'open case')}: ${commandHere(ctx, 'journal', 'list', '--open')}`);
  for (const { orderId = '', state } of doubted)
    notes.note(`${orderId} is ${state}: ${commandHere(ctx, 'orders', 'show', orderId)}`);
}

// A command line with the profile that was typed, if one was.
function commandHere({ options: { profile } }: Context, ...words: readonly string[]): string {
  return profile === undefined ? plainCommand(...words) : commandLine(profileNamed(profile), ...words);
}
