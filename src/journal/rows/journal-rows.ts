/** What the journal holds: rows, which are only ever added, and the attempts that these rows make up. */

import type { ChangeRequest } from '../../api/api.ts';
import type { CliErrorParts } from '../../errors.ts';
import type { Change, ExpectedRefund, FoundRefund, KeptOfChange } from '../change.ts';
import type { ApprovalRow, LimitRow } from '../team-rules.ts';

/** The money of an order or a charge. A reply or a read that shows other money contradicts the change. */
interface MoneyImage {
  readonly status?: string | undefined;
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly amountRefunded?: number | undefined;
  readonly isRefundable?: boolean | undefined;
}

/** The order right before the sending, as far as it can prove an outcome later. Holds no personal data. */
export interface PreImage extends MoneyImage {
  readonly updatedAt?: number | undefined;
  /** When the order was created, Unix seconds. */
  readonly createdAt?: number | undefined;
  readonly charges: readonly ChargeImage[];
  /** When an order is created: the ids of the newest orders before that. */
  readonly newest?: readonly string[] | undefined;
}

/** A charge of that order: its refunds, and the figures that a refund would change. */
export interface ChargeImage extends MoneyImage {
  readonly id: string;
  readonly refunds: readonly {
    readonly id: string;
    readonly amount: number;
    /** Unix seconds. */
    readonly createdAt?: number | undefined;
    /** The service's own word; a refund without one was made. */
    readonly status?: string | undefined;
  }[];
}

/** Everything that a verdict needs besides a reply or a read: what was asked for, and how the order was before. */
export interface Proof {
  readonly kind: Change['kind'];
  readonly orderId?: string | undefined;
  readonly livemode: boolean;
  readonly body?: ChangeRequest['body'];
  readonly expected: readonly ExpectedRefund[];
  /** Charges on which a refund of the whole order may leave one record, or none. */
  readonly tolerated: readonly string[];
  readonly before: PreImage;
}

/** What became of an attempt. `not_seen`: no read has shown it yet. */
export type Verdict = 'applied' | 'rejected' | 'not_sent' | 'unknown' | 'not_seen';
/**
 * Why a person must look although there is a verdict. `disagreement`: the figures of the last read did not agree. `failed`: the
 * service had taken the refund, and it failed after that. `gone`: it was made, and the last read did not show it any more.
 */
export type Alarm =
  | 'duplicate'
  | 'contradiction'
  | 'partial'
  | 'applied_though_rejected'
  | 'disagreement'
  | 'gone'
  | 'failed';

/** What the sender of a team states about a row: which member had it added, and in which process of the sender. */
export interface Stamp {
  readonly operator: string;
  readonly run: string;
  /** The desk from which it came, by the name that the desk gave itself; absent if it gave none. */
  readonly desk?: string | undefined;
}

/** When a row was written. */
interface Written {
  /** Journal time, Unix milliseconds, like every time in a row. */
  readonly time: number;
  /** The clocks disagreed then, so no horizon is counted from its time. */
  readonly skewed?: true | undefined;
  readonly clocks?: Clocks | undefined;
  /** Only in the journal of a team's sender. */
  readonly stamp?: Stamp | undefined;
}

/** Which account a row is about, and who had it written. */
interface OfAccount {
  readonly origin: string;
  readonly account: string;
  readonly profile: string;
  readonly keyFingerprint?: string | undefined;
  readonly operator: string;
}

/** Says what is about to be sent. It is written and durable before the request leaves. */
export interface SentRow extends Written, OfAccount, KeptOfChange {
  readonly type: 'sent';
  readonly change: string;
  /** 1, 2, … for the same change. */
  readonly attempt: number;
  /** The request must leave before this time. */
  readonly sendBy: number;
  /** How long the request may still take effect, counted from the first verdict on it. */
  readonly horizonMs: number;
  readonly version?: string | undefined;
  readonly proof: Proof;
  /**
   * Only in a row that a repair wrote instead of an unreadable one: the kind of the change. No read can prove its
   * outcome. Until a person settles it, it blocks its order; if it has no order, it blocks every change of its kind;
   * `unknown` blocks everything.
   */
  readonly lost?: Change['kind'] | 'unknown' | undefined;
  /** `--again`: ids of refunds and names of attempts that this repeats. Each of them works for one sending only. */
  readonly again?: readonly string[] | undefined;
  /** Who asked for its approval, if not the one who sent it; and who gave it, as the sender of the team knows it. */
  readonly askedBy?: string | undefined;
  readonly approvedBy?: string | undefined;
  /** When it was asked for, and when it was given. */
  readonly askedAt?: number | undefined;
  readonly approvedAt?: number | undefined;
  /** Only in a row that `journal archive` wrote instead of all rows of an attempt, in short (archived-rows.ts). */
  readonly archived?: Archived | undefined;
}

/** A person's release of a plan: for one sending, and until then (Unix milliseconds). */
export interface Released {
  readonly id: string;
  readonly by: string;
  readonly with: 'passphrase' | 'security key';
  readonly until: number;
  /** Any program that runs as this account could have made it too: the account could write to the file of the enrolled keys. */
  readonly isRail?: true | undefined;
}

/** When an attempt was archived (Unix milliseconds), and its verdicts, oldest first. A later verdict is a row of its own. */
interface Archived {
  readonly at: number;
  readonly verdicts: readonly ShortVerdict[];
}

/** A verdict without what its SENT row says anyway. Only the last one has its reason and error. */
type ShortVerdict = Omit<
  VerdictRow,
  'type' | 'change' | 'attempt' | 'why' | 'refunds' | 'clocks' | 'note' | 'link'
> & {
  readonly why?: string | undefined;
  readonly refunds?: readonly Pick<FoundRefund, 'id' | 'chargeId' | 'amount' | 'status'>[] | undefined;
};

/** One verdict on an attempt. The last verdict counts. */
export interface VerdictRow extends Written, Pick<SentRow, 'change' | 'attempt'> {
  readonly type: 'verdict';
  readonly verdict: Verdict;
  /** Where the verdict comes from: the reply, a read, a person, or the run that did the sending. */
  readonly by: 'reply' | 'read' | 'person' | 'sender';
  /** The reason, for people: `HTTP 502, an HTML page`. */
  readonly why: string;
  readonly alarm?: Alarm | undefined;
  /** For `rejected`: whether a read showed that nothing changed. */
  readonly confirmed?: boolean | undefined;
  /** Refund records that were not there before the sending, ours or other people's. */
  readonly refunds?: readonly FoundRefund[] | undefined;
  /** For a creation: the id of the new order or payment link. */
  readonly created?: string | undefined;
  /** The link at which it is paid. It is erased together with notes and bodies, because its page may name people. */
  readonly link?: string | undefined;
  /** The service's error, without its `data`. */
  readonly error?: Omit<CliErrorParts, 'data' | 'cause'> | undefined;
  /** The reply to the request, if one came, without its body: that holds the buyer's data. */
  readonly received?:
    | { readonly httpStatus: number; readonly bytes: number; readonly sha256: string }
    | undefined;
  /** A person's statement: it contradicts the statement before it, which was wrong. */
  readonly corrects?: true | undefined;
  /** A person has dealt with this alarm. The same refunds do not raise it again. */
  readonly acknowledged?: Alarm | undefined;
  /** For what a person records: who it was, and a note. */
  readonly operator?: string | undefined;
  readonly note?: string | undefined;
}

/** Says that a person changed a limit of an account (its name begins with `limit/`), or something else that a journal must know. */
export interface SettingRow extends Written, OfAccount {
  readonly type: 'setting';
  readonly name: string;
  /** The texts as they were typed; null where nothing is set. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The name of the row that says that a person allowed changes again after the files of the journal were put back from a copy. */
export const copyName = 'journal.copy';

/** A row about an attempt. Only these rows say what was sent and what became of it. */
export type AttemptRow = SentRow | VerdictRow;

export type JournalRow = AttemptRow | SettingRow | LimitRow | ApprovalRow;

/** One attempt: its SENT row and every verdict on it, oldest first. */
export interface AttemptRecord {
  readonly sent: SentRow;
  readonly verdicts: readonly VerdictRow[];
}

/** Names an attempt in a map: no two attempts have the same key. */
export function attemptKey({ change, attempt }: Pick<SentRow, 'change' | 'attempt'>): string {
  return `${attempt} ${change}`;
}

/** The name of an attempt for `--again`: its change, `i_7f3k`. From the second on with its number, `i_7f3k.2`. */
export function attemptName({ sent: { change, attempt } }: Pick<AttemptRecord, 'sent'>): string {
  return attempt === 1 ? change : `${change}.${attempt}`;
}

/**
 * Who sent it, as screens say it: `ana`, in a team `ana on desk-4` or `ana, asked by luis, approved by lea, on desk-4`. Nobody is
 * named twice. For an agent: `agent bot for ana, released by ana with a passphrase`.
 */
export function whoSent(
  sent: Pick<SentRow, 'operator' | 'stamp' | 'askedBy' | 'approvedBy' | 'released'>,
): string {
  const { operator, stamp, askedBy, approvedBy, released } = sent;
  const others = [
    ...(released === undefined ? [] : [releasedWords(released)]),
    ...(askedBy === undefined || askedBy === operator ? [] : [`asked by ${askedBy}`]),
    ...(approvedBy === undefined || approvedBy === operator ? [] : [`approved by ${approvedBy}`]),
  ];
  const who = approvedBy === operator ? `${operator} who approved it` : operator;
  const desk = stamp?.desk === undefined ? '' : ` on ${stamp.desk}`;
  if (others.length === 0) return `${who}${desk}`;
  return `${[who, ...others].join(', ')}${desk === '' ? '' : `,${desk}`}`;
}

/** `released by ana with a passphrase` */
export function releasedWords(released: Pick<Released, 'by' | 'with' | 'isRail'>): string {
  const rail = released.isRail === true ? ' (a rail)' : '';
  return `released by ${released.by} with a ${released.with}${rail}`;
}

/** The clocks when a row was written (Unix milliseconds), so that a later run notices when one has jumped. */
export interface Clocks {
  readonly wall: number;
  /** The service's clock, by its last `Date` header; absent when it sends none. */
  readonly service?: number | undefined;
  /** The id of this boot of the machine, and the milliseconds since then. */
  readonly boot?: { readonly id: string; readonly ms: number } | undefined;
}

/** The journal's time, and the clocks that it comes from. */
export interface Moment extends Clocks {
  /** The time for a row written now. While the clocks disagree: that of the slower clock, or of the newest row. */
  readonly time: number;
  /** The monotonic clock of this process, milliseconds. */
  readonly mono: number;
  /** Two clocks differ by more than two minutes, or nothing confirms the clock: no horizon ends, and none starts. */
  readonly skewed: boolean;
  /** The service's clock was seen and agrees with this machine's. */
  readonly dated?: boolean | undefined;
}
