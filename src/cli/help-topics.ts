/** The texts of the help topics: environment, exit codes, output, safety. */

import type { Flag } from '../commands/command.ts';
import { exitMeanings } from '../errors.ts';
import { globalFlags } from './global-options.ts';

const environment = (): readonly string[] => [
  'Environment: variables that set an option when the flag is not given. An empty variable counts as unset.',
  'Order: the flag, the variable, the profile, the default. No file of the current folder is read.',
  '',
  ...Object.entries<Flag>(globalFlags).flatMap(([name, { env, summary }]) =>
    env === undefined ? [] : [`  ${env.padEnd(20)} --${name}: ${summary}`],
  ),
  '',
  'The profile `environment`, used when none is named:',
  '  PAYDESK_BASE_URL     address of the service',
  '  PAYDESK_MODE         sandbox or production',
  '  PAYDESK_API_KEY      the key; or',
  '  PAYDESK_KEY_FILE     a file that holds the key',
  '  PAYDESK_VENDOR       vendor segment of the media type, default service',
  '  PAYDESK_AUTH         bearer or basic, default bearer',
  '',
  'Others:',
  '  PAYDESK_OPERATOR     who makes a change, for the journal; default the system user',
  '  PAYDESK_ACCESSIBLE   1: numbered line prompts, nothing redrawn, -o list',
  '  PAYDESK_DEMO_FAULT   lose replies on the demo, for practice: apply-drop, drop, ...',
  '  CI                   set: the same as --no-input',
  '  NO_COLOR             set: no colour; FORCE_COLOR: colour also in a pipe',
  '  HTTPS_PROXY          the proxy for https, except for hosts in NO_PROXY; plain http and this machine never use it',
  '  XDG_CONFIG_HOME      profiles and keys lie in its folder paydesk; XDG_STATE_HOME: the journal, its witness, locks and the demo; XDG_CACHE_HOME: compiled code',
  '  PAYDESK_STATE_ON_NETWORK  1: the journal may lie on a network file system; say so only if you tested that locks hold there',
  '',
  'paydesk keeps nothing else, and contacts no host except the service. To remove every trace:',
  '  rm -r ~/.config/paydesk ~/.local/state/paydesk ~/.cache/paydesk',
  'removes profiles, keys, the journal of what was sent and its witness (the folder witness beside the folder journal); paydesk profile show says where they lie on this system.',
];

const exitCodes = (): readonly string[] => [
  'Exit codes: what a script can rely on.',
  '',
  ...[...exitMeanings].map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
  '',
  'Code 7 comes before every other. After 2, 3, 4, 5 and 6 nothing was changed by this command.',
];

const output = (): readonly string[] => [
  'Output: stdout is the result and nothing else; notes, questions, progress and errors go to stderr.',
  '',
  '  -o table   for people: columns, never cutting an id or an amount',
  '  -o list    Field: value lines, every field; reads well aloud',
  "  -o json    the service's own objects, fields as they came; a list is one envelope with has_more last",
  '  -o ndjson  one record per line',
  '  -o csv     a heading line, then one row per record: times in UTC (ISO 8601), amounts as whole numbers; a cell that a spreadsheet would run as a formula gets a leading quote',
  '',
  "Amounts are the service's integers, as it states them. Where a profile declares amounts.decimals, tables and screens show 23000 MXN (230.00); json, ndjson and csv stay integers. A refund's amount is negative.",
  'Without a terminal nothing is cut, no column is dropped, and there is no colour; --width 100 draws tables and screens for 100 characters anywhere. With json and ndjson a failing run writes one JSON object to stderr: object error, kind, exit_code, message, certain, now, code, log_id, http_status, details, notes.',
  '',
  'Columns of table, list and csv: --columns id,amount,buyer,email,reference',
  '  buyer, email         name and e-mail address of the buyer',
  "  reference            the shop's own number: the first key in the setting reference.keys that the metadata of the order has",
  '  metadata.KEY         what the shop stored under this key',
  '  customer_info.phone  any other documented field by its path, as -o list shows it; items of a list count from 1, as in charges.2.fee',
  '  created_at_local     any time as clocks show it, with its offset from UTC: in the zone of --tz, of the profile, or of this machine. created_at stays in UTC',
  'Rows of charges and refunds (orders export --rows) also have the fields of their order, and refunds those of their charge: order.id, order.amount, order.payment_status, charge.status. A field that only one of them has needs no prefix: customer_info.phone, metadata.KEY. amount is always the amount of the row itself.',
  'PAYDESK_COLUMNS names columns for every list; each list shows the ones that it has.',
  '',
  '  $ paydesk -p demo orders list --all --ndjson',
  '  $ paydesk -p demo orders list --csv --columns id,amount,currency',
  '  $ paydesk -p demo orders export --rows refunds --csv --columns order.id,amount,email',
];

const safety = (): readonly string[] => [
  'Safety: a refund is sent at most once, and its outcome is never lost.',
  '',
  'Guaranteed:',
  '  - what will be sent is on disk, with the order as it was, before one byte leaves; no journal, no refund',
  '  - one request: no second try, no redirect followed, and none after the key was refused',
  '  - no usable answer: the verdict is unknown; paydesk reads the order, and blocks it until that is settled',
  '  - two runs on this machine never change one order at once, whatever its address or profile is called',
  '',
  'The rule of evidence:',
  '  - paydesk believes an answer or a read only where all that the order shows agrees: refund records and their times, sums, statuses, is_refundable and updated_at.',
  '  - "Made" needs exactly the records that were asked for, made after the sending; "not made" needs that nothing moved at all; anything else is unconfirmed, and both figures are shown.',
  '  - A refusal is final only for the two documented errors, and for 400, 401, 403, 404, 406 and 422 in the error form of the service, once a read agrees; every other answer is watched until its horizon.',
  '  - paydesk reads a refund that was made again until its horizon, so that a second equal one, by the service or from another machine, raises the alarm.',
  '  - A repeat must name what it repeats (--again ID), and each ID works once; a witness file apart from the journal shows when the journal was restored, deleted or damaged, and then nothing is sent.',
  '',
  'The journal: paydesk keeps two records of every change, journal and witness, in two folders, and sends nothing while they disagree. If both are lost together, it cannot know what was sent.',
  '',
  'Keys: paydesk knows your keys before it reads your command, refuses a command that holds one, and takes them out of all that it prints or keeps, in whatever encoding. In production it starts only with options of Node that are known to be harmless, and only https goes through a proxy.',
  '',
  'It rests on:',
  '  - no request takes effect later than its horizon (refund.horizon_part, refund.horizon_whole)',
  '  - a person who settles a change by hand records the truth (journal settle)',
  '  - a commit to disk is durable',
  '  - one journal: the account is changed from this machine only',
  '',
  'What no client of this service can do: it has no idempotency key. Two machines without a shared journal can both make the same partial refund; the read right before sending shows equal ones, but not between that read and the sending (refund.send_within at most).',
  'The chain of the journal finds accidents, not forgers. On Windows a closed window leaves only seconds to write.',
];

const topics: Readonly<Record<string, () => readonly string[]>> = {
  environment,
  'exit-codes': exitCodes,
  output,
  safety,
};

/** The names of the topics, in the order of help. */
export const topicNames: readonly string[] = Object.keys(topics);

/** The lines of a topic, not wrapped yet. No lines for a name that is not a topic. */
export function topicLines(name: string): readonly string[] {
  return topics[name]?.() ?? [];
}
