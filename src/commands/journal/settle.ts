/** `journal settle`: a person records by hand whether an unconfirmed change was made, or corrects such a record. */

import { settleCommand, settleCommands } from '../../changes/changes.ts';
import { type Context, dryRunShown, refuseAgentTo } from '../../context/context.ts';
import { about, type CliError, exitCodes, orElse, refused, withParts } from '../../errors.ts';
import { flag } from '../../flags/flags.ts';
import {
  type AttemptRecord,
  acknowledgeCommand,
  changeKinds,
  changeOf,
  type Evidence,
  isOpen,
  isUnconfirmed,
  type NamedChange,
  needsPerson,
  notMadeBy,
  recordedState,
  statementOn,
  tooEarlyUntil,
} from '../../journal/journal.ts';
import { flagWords, plainCommand } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { amountStyleOf } from './attempt-record.ts';
import { changeArgument, findAttempt, subjectOf } from './meant-change.ts';
import {
  type Asked,
  confirmStatement,
  madeWords,
  problemOf,
  unrecordable,
  wrongNote,
} from './settle-words.ts';
import { checkShown, showAttempt } from './show.ts';

export const settle = defineCommand({
  description:
    'paydesk reads the order first: if it shows what happened, paydesk records that; if not, it records what you say, with your name and your note. After --not-applied the change can be sent again, so be certain: if you are wrong, the buyer is paid twice. Correct a wrong record with --correct; both stay in the journal.',
  arguments: [changeArgument(true)],
  flags: {
    applied: flag.switch('it was made', { conflicts: ['not-applied'] }),
    'not-applied': flag.switch('it was not made; it can then be sent again', { conflicts: ['applied'] }),
    correct: flag.switch('replace a wrong record with the opposite one'),
    note: flag.text('TEXT', 'how you know'),
    confirm: flag.text(
      'ORDER',
      'the order id, from the screen of the service or the ticket (without an order: the change)',
    ),
  },
  examples: [
    'paydesk journal settle i_7f3k2m9q --applied --note "seen in the bank file"',
    'paydesk journal settle i_7f3k2m9q --not-applied --note "Ana at the service looked: nothing there" --confirm ord_2tQ7zRk9PwE5xNvAm',
  ],
  async run(ctx, { args: [id], flags }) {
    refuseAgentTo(ctx, 'settles a change');
    const corrects = flags.correct === true;
    const asked = { applied: flags.applied === true, corrects, note: flags.note, confirm: flags.confirm };
    const found = findAttempt(ctx, id);
    // If there is no such change, the error first says what else the command lacks.
    const known = await found.catch(orElse(() => undefined));
    const subject = {
      change: known?.sent.change ?? id,
      orderId: known === undefined ? 'ORDER' : known.sent.proof.orderId,
    };
    if (asked.applied === (flags['not-applied'] === true)) throw undecided(ctx, subject, known);
    const isRead = known !== undefined && !ctx.options.dryRun;
    if (flags.note === undefined && !ctx.ask.interactive && !isRead) throw missing(subject, asked);
    const record = await found;
    return about(subjectOf(record), () => settleAttempt(ctx, record, asked));
  },
});

function undecided({ ask }: Context, subject: NamedChange, known: AttemptRecord | undefined): CliError {
  const first =
    known === undefined || changeKinds[known.sent.proof.kind].provable
      ? ['first look: paydesk can often find out by itself', `paydesk journal reconcile ${subject.change}`]
      : ["first look on the service's own screen: paydesk cannot look it up"];
  return unrecordable('say --applied or --not-applied: was it made?', [
    ...first,
    'then one of:',
    ...settleCommands({ ...subject, asks: ask.interactive }),
  ]);
}

// Adds the command for later, so that nothing has to be typed again.
function withCommand({ ask }: Context, error: CliError, { sent }: AttemptRecord, asked: Asked): CliError {
  if (error.parts.ownCode !== 'too_early') return error;
  const command = commandOf({ change: sent.change, orderId: sent.proof.orderId }, asked, ask.interactive);
  return withParts(error, { now: [...(error.parts.now ?? []), command] });
}

const whoseId = 'the order id, from the screen of the service or the ticket';

// The error that names everything a script must add, and the whole command.
function missing({ change, orderId }: NamedChange, asked: Asked): CliError {
  const { note, confirm } = asked;
  const id = orderId === undefined ? change : 'ORDER';
  const lacking = [
    ...(note === undefined ? ['--note TEXT: how you know'] : []),
    ...(confirm === undefined ? [`--confirm ${id}: ${id === change ? 'the change' : whoseId}`] : []),
  ];
  return unrecordable(`missing ${lacking.join('; ')}`, [commandOf({ change, orderId }, asked, false)]);
}

// The command as it was typed, and what a script has to add. Without an order, the change itself is what `--confirm` takes. `asks`:
// paydesk asks for the id.
function commandOf({ change, orderId }: NamedChange, asked: Asked, asks: boolean): string {
  const {
    applied,
    corrects,
    note = 'TEXT',
    confirm = asks ? undefined : orderId === undefined ? change : 'ORDER',
  } = asked;
  const said = [...(corrects ? ['--correct'] : []), applied ? '--applied' : '--not-applied'];
  return plainCommand('journal', 'settle', change, ...said, ...flagWords({ note, confirm }));
}

async function settleAttempt(ctx: Context, record: AttemptRecord, asked: Asked): Promise<number | undefined> {
  const { applied, corrects } = asked;
  const { change } = record.sent;
  // A dry run does not read the order, because paydesk writes down what such a read proves.
  const would = `would look up ${change}, ${changeOf(record, amountStyleOf(ctx, record))}, and, if the service does not show what happened, record that it was ${madeWords(record, applied)}`;
  if (await dryRunShown(ctx, { action: 'settle', change, applied }, would)) return undefined;
  await checkShown(ctx, record);
  if (corrects) refuseNoCorrection(record, applied);
  else if (record.verdicts.at(-1)?.verdict === 'applied')
    refuseContradiction(record, applied, ctx.ask.interactive);
  const now = await ctx.journal.now();
  const isStrict = !applied && (isOpen(record, now) || corrects);
  const check = () => {
    if (asked.note === undefined && !ctx.ask.interactive)
      throw missing({ change, orderId: record.sent.proof.orderId }, asked);
    checkNote(asked, isStrict);
    checkConfirm(ctx, record, asked, isStrict);
  };
  // Before that time, it helps nobody to hear what else is missing.
  if (applied || tooEarlyUntil(record, now) === undefined) check();
  const confirm = (evidence: Evidence) => {
    check();
    return confirmStatement(ctx, { record, evidence, isStrict, ...asked });
  };
  const statement = { applied, note: asked.note ?? '', ...(corrects && { corrects }) };
  const settling = ctx.journal.settle(record, statement, confirm);
  const { record: after, added } = await settling.catch(
    orElse((error) => {
      throw withCommand(ctx, error, record, asked);
    }),
  );
  if (added === undefined) {
    if (isUnconfirmed(after)) throw notWhole(after);
    refuseContradiction(after, applied, ctx.ask.interactive);
    ctx.notes.warn(`${change}: already certain (${recordedState(after)}); nothing to settle`);
  } else if (added.by !== 'person')
    ctx.notes.warn(
      (added.verdict === 'applied') === applied
        ? 'the order shows just that; paydesk recorded it as seen'
        : 'the order shows what happened; paydesk recorded that, and not what you said',
    );
  await showAttempt(ctx, after);
  return needsPerson(after, await ctx.journal.now()) ? exitCodes.unconfirmed : 0;
}

// The outcome is already settled, so nothing is recorded.
function settled(change: string, message: string, more: readonly string[] = []): CliError {
  const now = [`paydesk journal show ${change}`, ...more];
  return refused(message, now, { certain: 'nothing was recorded', ownCode: 'settled' });
}

// The order shows only a part of it, so it was not made as sent; and a person may not record that more was made than the order
// shows.
function notWhole({ sent: { change } }: AttemptRecord): CliError {
  return settled(change, `${change} was not made as it was sent: the order shows only a part of it`);
}

// Refuses a statement that contradicts an outcome that is already settled.
function refuseContradiction(record: AttemptRecord, applied: boolean, asks: boolean): void {
  const last = record.verdicts.at(-1);
  const said = statementOn(record);
  const { change } = record.sent;
  if ((last?.verdict === 'applied') === applied) return;
  const word = applied ? '--applied' : '--not-applied';
  const correct = settleCommand({ ...record.sent.proof, change, asks }, '--correct', word);
  throw settled(
    change,
    `${change} is settled: ${recordedState(record)}`,
    said === undefined ? [] : ['if that record is wrong:', correct],
  );
}

function refuseNoCorrection(record: AttemptRecord, applied: boolean): void {
  const said = statementOn(record);
  const { change } = record.sent;
  if (said !== undefined && (said.verdict === 'applied') !== applied) return;
  if (said === undefined && notMadeBy(record) !== undefined) throw shownByNow(record);
  const message =
    said !== undefined
      ? `${change} is recorded as ${madeWords(record, applied)} already`
      : `${change} was not recorded by hand: there is nothing to correct`;
  throw settled(change, message);
}

// What a person recorded was wrong, and a read has found that out already.
function shownByNow(record: AttemptRecord): CliError {
  const { change } = record.sent;
  const last = record.verdicts.at(-1);
  const isAlarmed = last?.verdict === 'applied' && last.alarm !== undefined;
  const shown = last?.verdict === 'applied' ? 'the order shows it now' : 'the order shows something else now';
  return settled(
    change,
    `${change} needs no correction: ${shown}, and the journal has that`,
    isAlarmed ? ['when somebody has dealt with the alarm:', acknowledgeCommand(change)] : [],
  );
}

function checkNote({ note }: Asked, isStrict: boolean): void {
  const problem = note === undefined ? undefined : problemOf(note, isStrict);
  if (note !== undefined && problem !== undefined) throw wrongNote(note, problem);
}

// Called before anything is read: what a script typed must be right, and nobody should be asked in vain.
function checkConfirm({ ask }: Context, record: AttemptRecord, asked: Asked, isStrict: boolean): void {
  const { confirm } = asked;
  const { change, proof } = record.sent;
  const id = proof.orderId ?? change;
  if (confirm === undefined) {
    if (isStrict && proof.orderId !== undefined && !ask.interactive)
      throw missing({ change, orderId: proof.orderId }, asked);
    return;
  }
  if (confirm === id) return;
  const isHidden = isStrict && proof.orderId !== undefined;
  throw refused(
    `--confirm ${confirm} ${isHidden ? `is not the order of ${change}` : `is not ${id}`}`,
    [
      isHidden
        ? 'take the order id from the screen of the service or the ticket'
        : `if you mean ${id}: --confirm ${id}`,
    ],
    { certain: 'nothing was recorded', ownCode: 'wrong_confirm' },
  );
}
