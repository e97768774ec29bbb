/** What a witness knows about the rows of a journal: one line per row, wherever the store keeps them. */

import type { Change } from '../change.ts';
import type { Verdict, VerdictRow } from './journal-rows.ts';

interface LineOfRow {
  readonly seq: number;
  /** The hash of the row. */
  readonly head: string;
  readonly time: number;
}

interface LineOfAttempt extends LineOfRow {
  readonly change: string;
  readonly attempt: number;
  readonly order: string | null;
}

/** What the witness knows about a SENT row: enough to block its order if the journal loses the row. */
export interface WitnessSent extends LineOfAttempt {
  readonly type: 'sent';
  /** `unknown`: a repair could not tell the kind. */
  readonly kind: Change['kind'] | 'unknown';
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly livemode: boolean;
  /** Fingerprint of the key with which it was sent. */
  readonly key: string | null;
  /** Hash of the request body, made with the key of the witness; null when the row has no body. */
  readonly body: string | null;
}

/** What the witness knows about a verdict. */
export interface WitnessVerdict extends LineOfAttempt {
  readonly type: 'verdict';
  readonly verdict: Verdict;
  readonly by: VerdictRow['by'];
  /** Nothing changes it any more: not sent, refused and confirmed by a read, or made without an alarm. */
  readonly final: boolean;
}

/** What the witness knows about the row of a setting: enough to say that no attempt is lost with the row. */
interface WitnessSetting extends LineOfRow {
  readonly type: 'setting';
  readonly profile: string;
  readonly name: string;
}

export type WitnessLine = WitnessSent | WitnessVerdict | WitnessSetting;

/** The whole witness, for a comparison row by row. */
export interface WitnessText {
  /** Undefined when the first line is damaged. Then no line can be checked, and all of them count as broken. */
  readonly key: string | undefined;
  readonly lines: readonly WitnessLine[];
  /** Numbers, from 1, of lines that are not whole. */
  readonly broken: readonly number[];
  /** Parts of its store, such as pages of a file, that could not be read. They may have held lines. */
  readonly unreadable: number;
}
