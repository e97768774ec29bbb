/** What holds in the model's world, what can happen there and how often, and the design that all of it is held against. */

/** What holds in the world, and what was broken in the design to see that the model notices. */
export interface Rules extends Protocol, Surroundings {
  readonly budget: Budget;
}

/** How the program goes about it: the design, or the design with one rule broken or left out. */
interface Protocol {
  readonly lock: 'kernel' | 'none' | 'stolen_after_a_time' | 'not_for_reconciling';
  /** What a power loss takes: nothing that was answered, SENT rows, or any row. */
  readonly commits: 'durable' | 'sent_not_synced' | 'none_durable';
  readonly order: 'sent_then_post' | 'post_then_sent';
  readonly resendOnReset: boolean;
  readonly removeSentOnError: boolean;
  readonly horizonMs: number;
  readonly absentIsFinal: boolean;
  readonly preImage: boolean;
  /** Which refusals are final: those that the document says, or any. */
  readonly finalRefusals: 'documented' | 'any';
  /** A refusal is believed after a read. */
  readonly refusalsRead: boolean;
  /** `amount_refunded` and `created_at` count beside the ids of the records. */
  readonly sums: boolean;
  readonly times: boolean;
  /** A final read must show the refunds that the journal knows to have been made. */
  readonly ownRefunds: boolean;
  /** What a reply confirmed is looked at until its horizon. */
  readonly watch: boolean;
  /** The witness is compared with the journal before a change. */
  readonly witness: boolean;
  /** What is one account: what may be one, or what is spelled alike. */
  readonly accounts: 'that_may_be_one' | 'by_spelling';
  /** One clock is compared with the others. */
  readonly clocksCompared: boolean;
  /** What `--again` lets through: what it names, for one sending, or anything. */
  readonly again: 'named_once' | 'anything';
  /** Nothing is refunded while an alarm says that it was made twice. */
  readonly alarmsBlock: boolean;
  /** At a team's server: an order has one open attempt; a SENT row needs a look that saw all rows of its order. */
  readonly oneOpen: boolean;
  readonly seenCompared: boolean;
  /** A SENT row that was not recorded for sure is taken back, and what is on its way is kept out. */
  readonly takesBack: boolean;
  /** Nothing is sent if the outcome of the commit is unknown. */
  readonly unknownStops: boolean;
  /** Nobody else writes a verdict before the sender can no longer send. */
  readonly othersWait: boolean;
  /** What the sender says later never follows what another desk has seen, if it is less than that. */
  readonly appliedStays: boolean;
  /** A desk remembers the newest row that it saw, and stops when the server does not have that row. */
  readonly memory: boolean;
  /** What somebody acknowledges: the refunds that were seen, or whatever comes after. */
  readonly acknowledged: 'what_was_seen' | 'anything';
  /** A refund that was recorded by hand as made counts as paid back, whatever is asked for next. */
  readonly byHand: 'counts' | 'counts_if_equal' | 'does_not_count';
  /** The alarm is raised when a record is corrected and the same refund was sent again. */
  readonly repeatsAlarm: boolean;
  /** A refund that was recorded by hand as not made is read again until its horizon is over. */
  readonly doubtsByHand: boolean;
  /** A row of a plan is known by its key. */
  readonly rowKeys: boolean;
  /** What the status of a refund means to paydesk. */
  readonly statusesRead: 'as_they_are' | 'pending_as_failed' | 'failed_as_made';
}

/** Where it runs. */
interface Surroundings {
  /** Where the journal is: in a file of the machine that both use, or on a server, where each has a desk with locks of its own. */
  readonly journal: 'file' | 'server';
  /** Nobody stands still for longer between the last look at the clock and the request. */
  readonly sendersAwake: boolean;
  /** Assumptions: no effect and no record later than the horizon, a person settles truthfully, one journal for both. */
  readonly effectsEnd: boolean;
  readonly truthful: boolean;
  readonly shared: boolean;
  /** A refund of the same amount that is older than everything, and people who want a second one. */
  readonly olderRefund: boolean;
  /** What a read may show: all, the order as it was a while ago, or new sums without the new records. */
  readonly reads: 'current' | 'lagging' | 'without_records';
  /** The service may refuse in words that are final what it has applied. */
  readonly refusesWhatItApplied: boolean;
  /** Whether replies have a `Date`. */
  readonly dates: boolean;
  /** When the wall clock is set. */
  readonly jumps: 'between_runs' | 'any_time';
  /** The newest refund comes first, and none has a `created_at`. */
  readonly newestFirst: boolean;
  /** People type the same line once more, although they could see that it was done. */
  readonly careless: boolean;
  /** What a person may record although it is not so, and then corrects. */
  readonly mistakes: 'none' | 'made' | 'not_made';
  /** The amounts that people ask for. */
  readonly amounts: readonly number[];
  /** One refund of the order, or one of every amount and of every row. */
  readonly wanted: 'once' | 'each_once';
  /** People apply plans, and do not type single refunds. */
  readonly plans: boolean;
  /** How each of the people spells the address of the service. */
  readonly origins: readonly string[];
}

/** How often what may happen happens at most. */
export interface Budget {
  readonly runs: number;
  readonly kills: number;
  readonly powerLosses: number;
  readonly foreign: number;
  readonly settles: number;
  /** Writes that are answered as failed, whether the row is there afterwards or not. */
  readonly failures: number;
  /** Requests that the service applies a second time. */
  readonly twice: number;
  /** An older copy of the journal is put in its place. */
  readonly restores: number;
  /** Steps of the wall clock. */
  readonly jumps: number;
  /** Alarms that somebody acknowledges. */
  readonly acknowledgements: number;
  /** Records by hand that somebody corrects. */
  readonly corrections: number;
  /** Refunds that are pending before they are made or fail, and refunds that fail. */
  readonly pendings: number;
  readonly fails: number;
}

/** Nothing happens but what is added to it. */
export const none: Budget = {
  runs: 0,
  kills: 0,
  powerLosses: 0,
  foreign: 0,
  settles: 0,
  failures: 0,
  twice: 0,
  restores: 0,
  jumps: 0,
  acknowledgements: 0,
  corrections: 0,
  pendings: 0,
  fails: 0,
};

/** No request takes effect later than this after it left. */
export const horizonMs = 900_000;

/** The design, and the assumptions it stands on. */
export const design: Rules = {
  lock: 'kernel',
  commits: 'durable',
  order: 'sent_then_post',
  resendOnReset: false,
  removeSentOnError: false,
  horizonMs,
  absentIsFinal: false,
  preImage: true,
  finalRefusals: 'documented',
  refusalsRead: true,
  sums: true,
  times: true,
  ownRefunds: true,
  watch: true,
  witness: true,
  accounts: 'that_may_be_one',
  clocksCompared: true,
  again: 'named_once',
  alarmsBlock: true,
  oneOpen: true,
  seenCompared: true,
  takesBack: true,
  unknownStops: true,
  othersWait: true,
  appliedStays: true,
  memory: true,
  acknowledged: 'what_was_seen',
  byHand: 'counts',
  repeatsAlarm: true,
  doubtsByHand: true,
  rowKeys: true,
  statusesRead: 'as_they_are',
  journal: 'file',
  sendersAwake: true,
  effectsEnd: true,
  truthful: true,
  shared: true,
  olderRefund: false,
  reads: 'current',
  refusesWhatItApplied: true,
  dates: true,
  jumps: 'between_runs',
  newestFirst: false,
  careless: false,
  mistakes: 'none',
  amounts: [5],
  wanted: 'once',
  plans: false,
  origins: ['http://pay.example', 'http://pay.example'],
  budget: { ...none, runs: 4, kills: 2, powerLosses: 1, foreign: 1, settles: 1 },
};
