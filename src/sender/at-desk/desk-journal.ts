/** The journal of a desk: its sender's, plus the changes that this desk handed over without showing their end. */

import {
  type AttemptRecord,
  changeWords,
  type Ended,
  type HowResolved,
  type Journal,
  type Resolved,
  sameJson,
} from '../../journal/journal.ts';
import { commandLine } from '../../profiles/profiles.ts';
import { outcomeFromWire, resolvedForm } from '../change-wire.ts';
import { hopPaths } from '../wire.ts';
import { type DeskParts, unknownHere, Way } from './hand-over.ts';
import type { HandedNote } from './handed-over.ts';
import { asOf } from './remote-store.ts';

/** What a desk has besides the sender's rows. */
export interface DeskJournal {
  readonly recorded: Journal['recorded'];
  /** Finds out how everything handed over for an order ended. Throws CliError 'unconfirmed' if that cannot be known now. */
  settleEarlier(orderId: string): Promise<void>;
  resolve(record: AttemptRecord, how?: HowResolved): Promise<Resolved>;
}

/** `shown` is called with the change of a note whose end is about to be shown. The note is removed after that. */
export function createDeskJournal(parts: DeskParts, shown: (change: string) => void): DeskJournal {
  const { handedOver, sender, account, notes, profile, shortTime } = parts;
  const list = () => handedOver.list({ sender, account });
  // Undefined: nothing was sent for this note, and nothing can be sent for it any more.
  const endOf = async (note: HandedNote): Promise<Ended | undefined> => {
    const { change: id, idempotencyKey, at, subject } = note;
    const handed = { id, idempotencyKey, at, orderId: subject.orderId };
    const way = new Way(parts, handed, { isNew: false });
    try {
      let known = await way.ask();
      // It ended without being sent, but may have been handed over twice.
      if (known !== 'not known here' && !('end' in known || 'closed' in known)) known = await way.withdraw();
      if (known === 'not known here') throw unknownHere(parts, handed);
      if ('end' in known) return outcomeFromWire(known.end);
      handedOver.remove(id);
      return undefined;
    } finally {
      way.end();
      parts.changed();
    }
  };
  return {
    async recorded(idempotencyKey, { kind, asked, again }) {
      for (const note of list()) {
        const { subject, change } = note;
        if (subject.kind !== kind || note.idempotencyKey !== idempotencyKey) continue;
        // If no order was named, a person picks one, so this change is another one.
        if (subject.orderId !== undefined && subject.kind !== 'api' && asked.order === undefined) continue;
        if (!sameJson(note.asked ?? {}, asked) || !sameJson(note.again, again)) continue;
        const outcome = await endOf(note);
        if (outcome === undefined) continue;
        shown(change);
        // A change that was certainly not sent is tried again.
        if (outcome.verdict !== 'not_sent')
          return { outcome: { ...outcome, recorded: true }, change: subject };
      }
      return undefined;
    },
    async settleEarlier(orderId) {
      for (const note of list().filter(({ subject }) => subject.orderId === orderId)) {
        const outcome = await endOf(note);
        if (outcome === undefined) continue;
        const what = changeWords(note.subject, profile.settings);
        notes.warn(
          `the ${what} that this desk handed over at ${shortTime(note.at)} ${endWords[outcome.verdict]}: ${commandLine(profile, 'journal', 'show', outcome.change ?? note.change)}`,
        );
        shown(note.change);
      }
    },
    resolve: (record, how) => resolveThrough(parts, record, how),
  };
}

const endWords: Readonly<Record<Ended['verdict'], string>> = {
  applied: 'was made',
  rejected: 'was refused by the service',
  not_sent: 'was not sent',
  unknown: 'is unconfirmed',
  not_seen: 'is unconfirmed',
};

// Asks the sender to read an attempt again. If a person must confirm what was read, asks here and then calls again.
async function resolveThrough(
  { hop, account, profile, zone, changed }: DeskParts,
  { sent }: AttemptRecord,
  { once, statement, acknowledgement, confirm }: HowResolved = {},
): Promise<Resolved> {
  const asked = {
    profile: profile.name,
    zone: zone(),
    attempt: sent.attempt,
    once,
    statement: statement && {
      applied: statement.applied,
      note: statement.note,
      corrects: statement.corrects,
    },
    acknowledgement: acknowledgement && { note: acknowledgement.note },
  };
  const path = hopPaths.resolve(account, sent.change);
  // If another read shows something else, the person is asked again.
  let confirmed: object | undefined;
  const isSaid = statement !== undefined || acknowledgement !== undefined;
  try {
    for (;;) {
      const body = { ...asked, confirmed };
      const reply = await hop.ask({ method: 'POST', path, body }, resolvedForm, { once: isSaid });
      if ('resolved' in reply) {
        const { record } = reply.resolved;
        return { ...reply.resolved, record: asOf(profile.name, record) };
      }
      confirmed = { evidence: reply.confirm, note: await confirm?.(reply.confirm) };
    }
  } finally {
    changed();
  }
}
