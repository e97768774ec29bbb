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
  '  PAYDESK_OPERATOR     your name in the journal; default the system user',
  '  PAYDESK_ACCESSIBLE   1: numbered line prompts, nothing redrawn, -o list, which then shows the columns of a table',
  '  PAYDESK_DEMO_FAULT   for practice with the demo: lets replies get lost (apply-drop, drop, ...), or refunds fail 3 seconds later (fails-later), or be pending for so long (pending)',
  '  CI                   set: the same as --no-input',
  '  NO_COLOR             set: no colour; FORCE_COLOR: colour also in a pipe',
  '  HTTPS_PROXY          the proxy for https, except for hosts in NO_PROXY; plain http and this machine never use it',
  '  XDG_CONFIG_HOME      its folder paydesk holds profiles and keys; that of XDG_STATE_HOME the journal, indexes, unfinished exports, locks and the demo; that of XDG_DATA_HOME the witness of the journal (which stays with the journal if only XDG_STATE_HOME is set); that of XDG_CACHE_HOME compiled code',
  '  PAYDESK_STATE_ON_NETWORK  1: allow the journal on a network file system; set it only after you have tested that locks work there',
  '',
  'The machine, in a file that only an administrator can write: /etc/paydesk/config.json (macOS: /Library/Application Support/paydesk/config.json; not on Windows):',
  '  { "journal.folder": "/var/lib/paydesk" }',
  'Then the journal, its witness and the locks of changes are in that folder, for all users of the group that owns it, whatever XDG_STATE_HOME says. Profiles, keys, indexes, exports and the data of the demo stay with each user. No variable changes this. What counts as one machine: paydesk help safety',
  '',
  'paydesk keeps nothing else but keys in the system keyring, and contacts no host except the service and a proxy. To remove every trace, first remove each profile (paydesk profile remove NAME), which takes its keys out of the keyring; then:',
  '  rm -r ~/.config/paydesk ~/.local/state/paydesk ~/.local/share/paydesk ~/.cache/paydesk',
  '  rm -r /var/tmp/paydesk-$(id -u)   (the landmark of the journal, which shows that it was restored from a copy; in TMPDIR, if that is set)',
  'This removes profiles, keys, indexes, the journal of what was sent and its witness, but not a common journal (journal.folder); paydesk profile show says where they lie on this system.',
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
  "Amounts are whole numbers in the service's units. Where a profile declares amounts.decimals, tables and screens show 23000 MXN (230.00); json, ndjson and csv keep the whole number. A refund's amount is negative.",
  'Without a terminal nothing is cut, no column is dropped, and there is no colour; --width 100 draws tables and screens for 100 characters anywhere. With json and ndjson a failing run writes one JSON object to stderr: object error, kind, exit_code, message, certain, now, code, log_id, http_status, details, notes.',
  '',
  'Columns of table, list and csv: --columns id,amount,buyer,email,reference',
  '  buyer, email         name and e-mail address of the buyer',
  "  reference            the shop's own number: the first key in the setting reference.keys that the metadata of the order has",
  '  metadata.KEY         what the shop stored under this key',
  '  customer_info.phone  any other documented field by its path, as -o list shows it; items of a list count from 1, as in charges.2.fee',
  '  created_at_local     any time as clocks show it, with its offset from UTC: in the zone of --tz, of the profile, or of this machine. created_at stays in UTC',
  'Rows of charges and refunds (orders export --rows) also have the fields of their order, and refunds those of their charge: order.id, order.amount, order.payment_status, charge.status. A field that only one of them has needs no prefix: customer_info.phone, metadata.KEY. amount is always the amount of the row itself.',
  'PAYDESK_COLUMNS names columns for every list; each list shows the ones that it has. An export in json or ndjson writes whole records and refuses --columns.',
  '',
  '  $ paydesk -p demo orders list --all --ndjson',
  '  $ paydesk -p demo orders list --csv --columns id,amount,currency',
  '  $ paydesk -p demo orders export --rows refunds --csv --columns order.id,amount,email',
];

const safety = (): readonly string[] => [
  'Safety: a refund is sent at most once, and its result is never lost.',
  '',
  'Guaranteed:',
  '  - before anything is sent, paydesk saves to disk what it will send and the order as it was; without the journal it sends nothing',
  '  - the request is sent once: paydesk never tries it again, follows no redirect, and sends nothing after the key was refused',
  '  - if the reply is lost, the refund is unconfirmed: paydesk reads the order again, and blocks it until the refund is confirmed or settled',
  '  - two runs on this machine never change the same order at the same time, whatever its address or profile is called',
  '',
  'What counts as this machine: all runs that share one journal and its locks. Those are the runs of one user with one state folder (XDG_STATE_HOME). Another user of the same computer, or another state folder, is another machine: neither knows what the other sends. With a common journal (journal.folder, paydesk help environment), all users of its group are one machine.',
  '',
  'When paydesk takes a refund as made or not made:',
  '  - paydesk trusts a reply or a read only if everything that the order shows fits together: refund records and their times, sums, statuses, is_refundable and updated_at.',
  '  - "Made": the order shows exactly the refunds that were asked for, made after the sending. "Not made": nothing on the order has changed. Anything else is unconfirmed, and paydesk shows both figures.',
  '  - A refusal is final only for the two documented errors and for 400, 401, 403, 404, 406 and 422 in the error form of the service, and only after paydesk read the order again and nothing had changed. After any other reply paydesk reads the order again until the horizon, the latest time at which the refund may still appear.',
  '  - After a refund was made, paydesk still reads the order again until the horizon. If a second equal refund appears, by the service or from another machine, it raises the alarm and refuses every other refund of that order until somebody acknowledges the alarm. paydesk keeps looking until its first read after the horizon, also after an acknowledgement. It raises no alarm for a refund that appears later: look with orders show.',
  '  - A repeat must name what it repeats (--again ID), and each ID works once. The witness, a second file in another folder, shows when the journal was restored, deleted or damaged; then nothing is sent.',
  '',
  'The journal: paydesk keeps two records of every change, journal and witness, in two folders, and sends nothing while the two differ. If both are lost together, it cannot know what was sent.',
  '',
  'Keys: paydesk knows your keys before it reads your command, refuses a command that holds one, and takes them out of all that it prints or keeps, in whatever encoding. In production it starts only with options of Node that are known to be harmless, and only https goes through a proxy.',
  '',
  'What paydesk relies on:',
  '  - no request takes effect after its horizon (refund.horizon_part, refund.horizon_whole)',
  '  - a person who settles a change by hand records the truth (journal settle)',
  '  - what was saved to disk stays there',
  '  - one journal: the account is changed from this machine only',
  '',
  'What no client of this service can prevent: the service has no idempotency key, so two machines without a shared journal can both make the same partial refund. paydesk reads the order right before it sends, and notices an equal refund; it cannot notice one that is made between that read and the sending (refund.send_within at most).',
  'The check of the journal finds accidents, not forgery. On Windows a closed window leaves only seconds to write.',
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
