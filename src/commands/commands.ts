/** The table of commands: the words and summary of each, and how it is loaded. Help and the command line start here. */

import type { Command } from './command.ts';

/** What a command can change at the service or of its journal: `service`, by sending; `journal`, only what is recorded of it. */
export type WhatChanges = 'service' | 'journal';

/** A row of the table. The command itself is loaded only when it runs or its help is asked for. */
export interface CommandEntry {
  readonly words: readonly [string, ...string[]];
  readonly summary: string;
  /**
   * The most that it can change, by itself or by commands that it runs. Without `service` it cannot send. `machine`: settings, keys (also that of the desk, which an
   * export makes if there is none), the index or other files of this machine, and the limits of an account. Files that options name,
   * such as `--to`, do not count.
   */
  readonly changes: WhatChanges | 'machine' | 'nothing';
  /** The commands that it runs for whoever sits at its screen. By itself it changes nothing. */
  readonly runs?: readonly string[];
  /** It asks for a key, so somebody may type one as an argument. */
  readonly takesSecret?: true;
  /** Whether it only reads with these words of a command line. */
  readonly isRead?: (words: readonly string[]) => boolean;
  /** The help topic about it, if it is not that of its noun. */
  readonly guide?: string;
  readonly load: () => Promise<Command>;
}

/** A noun such as `orders`, with its summary, an example, and the help topic about its commands. */
interface Group {
  readonly summary: string;
  readonly example: string;
  readonly guide: string;
}

/** The nouns that have verbs, by name. */
export const groups: Readonly<Record<string, Group>> = {
  orders: {
    summary: 'List, find, show, refund, capture, create and export orders',
    example: 'paydesk -p demo orders list --limit 5',
    guide: 'refund',
  },
  refunds: {
    summary: 'Refund many orders from a file, and add up what was refunded',
    example: 'paydesk -p demo refunds plan refunds.csv --to refunds.plan',
    guide: 'many-refunds',
  },
  customers: {
    summary: 'List, show, find and export customers',
    example: 'paydesk -p demo customers list --limit 5',
    guide: 'find',
  },
  checkout: { summary: 'Make a payment link', example: 'paydesk -p demo checkout create', guide: 'create' },
  index: {
    summary: 'Find orders at once, with an index on this machine',
    example: 'paydesk -p demo index build',
    guide: 'find',
  },
  journal: {
    summary: 'See what was sent, and clear up what is unconfirmed',
    example: 'paydesk journal list --open',
    guide: 'when-a-reply-is-lost',
  },
  profile: {
    summary: 'Add, check and set up accounts and their keys',
    example: 'paydesk profile list',
    guide: 'accounts',
  },
  sender: {
    summary: 'Let one service of the team send for all its desks',
    example: 'paydesk sender members',
    guide: 'team',
  },
  approvals: {
    summary: 'Approve refunds of a team that need a second person',
    example: 'paydesk approvals list',
    guide: 'team',
  },
  simulator: {
    summary: 'Serve the simulated service, practise on the demo, or reset it',
    example: 'paydesk simulator reset',
    guide: 'scripting',
  },
};

/** Every command, in the order of a working day, which is the order of help. */
export const commands: readonly CommandEntry[] = [
  {
    words: ['orders', 'list'],
    summary: 'List orders, one page at a time',
    changes: 'nothing',
    guide: 'output',
    load: async () => (await import('./orders/list.ts')).list,
  },
  {
    words: ['orders', 'show'],
    summary: 'Show one order: its money, refunds and items',
    changes: 'nothing',
    guide: 'when-a-reply-is-lost',
    load: async () => (await import('./orders/show.ts')).show,
  },
  {
    words: ['orders', 'find'],
    summary: 'Find orders by what they show: a name, a card, an amount, an id',
    changes: 'nothing',
    guide: 'find',
    load: async () => (await import('./orders/find.ts')).find,
  },
  {
    words: ['orders', 'browse'],
    summary: 'Look through the newest orders on a screen: show, refund, capture, mark',
    changes: 'service',
    runs: ['orders show', 'orders refund', 'orders capture', 'refunds plan'],
    guide: 'find',
    load: async () => (await import('./orders/browse.ts')).browse,
  },
  {
    words: ['orders', 'refund'],
    summary: 'Refund an order, one of its charges, or part of a charge',
    changes: 'service',
    load: async () => (await import('./orders/refund.ts')).refund,
  },
  {
    words: ['orders', 'capture'],
    summary: 'Capture an order that was authorized earlier',
    changes: 'service',
    load: async () => (await import('./orders/capture.ts')).capture,
  },
  {
    words: ['orders', 'create'],
    summary: 'Create an order, with a checkout or without',
    changes: 'service',
    guide: 'create',
    load: async () => (await import('./create.ts')).createOrders,
  },
  {
    words: ['orders', 'export'],
    summary: 'Export all orders, charges or refunds of a time range',
    changes: 'machine',
    guide: 'exports',
    load: async () => (await import('./orders/export.ts')).exportOrders,
  },
  {
    words: ['orders', 'summary'],
    summary: 'Add up the orders of a period: by status, day, week, month or brand of card',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./orders/summary.ts')).summary,
  },
  {
    words: ['orders', 'waiting'],
    summary: 'Count the authorized orders that wait for their capture, by age',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./orders/waiting.ts')).waiting,
  },
  {
    words: ['orders', 'compare'],
    summary: 'Compare an invoice list with what was charged',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./orders/compare.ts')).compare,
  },
  {
    words: ['orders', 'twins'],
    summary: 'List orders of a period that somebody may have paid twice',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./orders/twins.ts')).twins,
  },
  {
    words: ['refunds', 'plan'],
    summary: 'Check a file of refunds and make a plan of it; sends nothing',
    changes: 'nothing',
    load: async () => (await import('./refunds/plan.ts')).plan,
  },
  {
    words: ['refunds', 'apply'],
    summary: 'Send the refunds of a plan, each at most once',
    changes: 'service',
    load: async () => (await import('./refunds/plan.ts')).apply,
  },
  {
    words: ['refunds', 'status'],
    summary: 'Show what became of every row of a plan',
    changes: 'nothing',
    load: async () => (await import('./refunds/plan.ts')).status,
  },
  {
    words: ['refunds', 'compare'],
    summary: 'Compare a list of orders with what was refunded',
    changes: 'nothing',
    load: async () => (await import('./refunds/compare.ts')).compare,
  },
  {
    words: ['refunds', 'receipt'],
    summary: 'Write the words for the buyer about one refund',
    changes: 'nothing',
    guide: 'refund',
    load: async () => (await import('./refunds/receipt.ts')).receipt,
  },
  {
    words: ['refunds', 'list'],
    summary: 'List the refunds of a period: how much, why, and by whom',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./refunds/list.ts')).list,
  },
  {
    words: ['refunds', 'summary'],
    summary: 'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./refunds/summary.ts')).summary,
  },
  {
    words: ['undo'],
    summary: 'Say what can still be done about the last change',
    changes: 'nothing',
    guide: 'refund',
    load: async () => (await import('./undo.ts')).undo,
  },
  {
    words: ['today'],
    summary: 'Show the day of the desk: unconfirmed, refunded, waiting, twins',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./today.ts')).today,
  },
  {
    words: ['customers', 'list'],
    summary: 'List customers, one page at a time',
    changes: 'nothing',
    load: async () => (await import('./customers/show.ts')).list,
  },
  {
    words: ['customers', 'show'],
    summary: 'Show one customer',
    changes: 'nothing',
    load: async () => (await import('./customers/show.ts')).show,
  },
  {
    words: ['customers', 'find'],
    summary: 'Find customers by name, e-mail, phone or reference',
    changes: 'nothing',
    load: async () => (await import('./customers/find.ts')).find,
  },
  {
    words: ['customers', 'export'],
    summary: 'Export all customers',
    changes: 'machine',
    guide: 'exports',
    load: async () => (await import('./customers/show.ts')).exportCustomers,
  },
  {
    words: ['checkout', 'create'],
    summary: 'Create a payment link',
    changes: 'service',
    load: async () => (await import('./create.ts')).createCheckout,
  },
  {
    words: ['journal', 'list'],
    summary: 'List what was sent, and whether it was made',
    changes: 'nothing',
    load: async () => (await import('./journal/list.ts')).list,
  },
  {
    words: ['journal', 'show'],
    summary: 'Show one change, its history, and what to do now',
    changes: 'nothing',
    load: async () => (await import('./journal/show.ts')).show,
  },
  {
    words: ['journal', 'reconcile'],
    summary: 'Read orders again to clear up unconfirmed changes',
    changes: 'journal',
    load: async () => (await import('./journal/reconcile.ts')).reconcile,
  },
  {
    words: ['journal', 'settle'],
    summary: 'Record by hand whether an unconfirmed change was made',
    changes: 'journal',
    load: async () => (await import('./journal/settle.ts')).settle,
  },
  {
    words: ['journal', 'acknowledge'],
    summary: 'Clear an alarm, such as a duplicate refund, that somebody has dealt with',
    changes: 'journal',
    load: async () => (await import('./journal/acknowledge.ts')).acknowledge,
  },
  {
    words: ['journal', 'verify'],
    summary: 'Check that the journal is whole; repair it',
    changes: 'journal',
    load: async () => (await import('./journal/verify.ts')).verify,
  },
  {
    words: ['journal', 'forget'],
    summary: 'Erase bodies, notes and links of settled changes',
    changes: 'journal',
    load: async () => (await import('./journal/export.ts')).forget,
  },
  {
    words: ['journal', 'archive'],
    summary: 'Move settled changes of long ago into a file',
    changes: 'journal',
    load: async () => (await import('./journal/export.ts')).archive,
  },
  {
    words: ['journal', 'export'],
    summary: 'Print every change that was sent, or write the journal for another machine',
    changes: 'nothing',
    load: async () => (await import('./journal/export.ts')).exportJournal,
  },
  {
    words: ['journal', 'import'],
    summary: 'Import the journal of another machine',
    changes: 'journal',
    load: async () => (await import('./journal/export.ts')).importJournal,
  },
  {
    words: ['report'],
    summary: 'Write an HTML report about the refunds of a period',
    changes: 'nothing',
    guide: 'reports',
    load: async () => (await import('./report.ts')).report,
  },
  {
    words: ['prove'],
    summary: 'Write one refund, or a period, into a signed file; check one',
    changes: 'machine',
    guide: 'evidence',
    load: async () => (await import('./prove.ts')).prove,
  },
  {
    words: ['index', 'build'],
    summary: 'Read all orders into an index on this machine, so that they are found at once',
    changes: 'machine',
    load: async () => (await import('./index/build.ts')).build,
  },
  {
    words: ['index', 'refresh'],
    summary: 'Bring the index up to date: read new orders, and old ones that may have changed',
    changes: 'machine',
    load: async () => (await import('./index/refresh.ts')).refresh,
  },
  {
    words: ['index', 'status'],
    summary: 'Show what the index knows, and how old that is',
    changes: 'nothing',
    load: async () => (await import('./index/build.ts')).status,
  },
  {
    words: ['index', 'forget'],
    summary: 'Take a buyer, old orders or everything out of the index',
    changes: 'machine',
    load: async () => (await import('./index/forget.ts')).forget,
  },
  {
    words: ['index', 'rekey'],
    summary: 'Seal the index with a new key',
    changes: 'machine',
    load: async () => (await import('./index/build.ts')).rekey,
  },
  {
    words: ['sender', 'init'],
    summary: 'Make the file of a sender: accounts, address, certificate',
    changes: 'machine',
    load: async () => (await import('./sender/init.ts')).init,
  },
  {
    words: ['sender', 'serve'],
    summary: 'Run the sender until a signal comes',
    changes: 'machine',
    load: async () => (await import('./sender/init.ts')).serve,
  },
  {
    words: ['sender', 'migrate'],
    summary: 'Make the tables of the journal in a database, or print the statements',
    changes: 'journal',
    load: async () => (await import('./sender/migrate.ts')).migrate,
  },
  {
    words: ['sender', 'verify'],
    summary: 'Check every row of the journal of the sender, and what is derived of them',
    changes: 'nothing',
    load: async () => (await import('./sender/migrate.ts')).verify,
  },
  {
    words: ['sender', 'invite'],
    summary: 'Print an invitation to the sender, for one use within a day',
    changes: 'journal',
    load: async () => (await import('./sender/members.ts')).invite,
  },
  {
    words: ['sender', 'members'],
    summary: 'List the members, their desks, and when each was used last',
    changes: 'nothing',
    load: async () => (await import('./sender/members.ts')).members,
  },
  {
    words: ['sender', 'limits'],
    summary: 'Show the limits of the team; a lead sets them',
    changes: 'journal',
    load: async () => (await import('./sender/limits.ts')).limits,
  },
  {
    words: ['sender', 'revoke'],
    summary: 'End the tokens of a member, or that of one desk',
    changes: 'journal',
    load: async () => (await import('./sender/members.ts')).revoke,
  },
  {
    words: ['approvals', 'list'],
    summary: 'List what waits for the approval of a second person',
    changes: 'nothing',
    load: async () => (await import('./approvals.ts')).list,
  },
  {
    words: ['approvals', 'show'],
    summary: 'Show a request, with the order as it is now',
    changes: 'nothing',
    load: async () => (await import('./approvals.ts')).show,
  },
  {
    words: ['approvals', 'approve'],
    summary: 'Approve the refund or plan of somebody else',
    changes: 'journal',
    load: async () => (await import('./approvals.ts')).approve,
  },
  {
    words: ['approvals', 'reject'],
    summary: 'Reject a request, or take your own back',
    changes: 'journal',
    load: async () => (await import('./approvals.ts')).reject,
  },
  {
    words: ['profile', 'add'],
    summary: 'Add an account: its address, mode and key',
    changes: 'machine',
    takesSecret: true,
    load: async () => (await import('./profile/add.ts')).add,
  },
  {
    words: ['profile', 'list'],
    summary: 'List the accounts',
    changes: 'nothing',
    load: async () => (await import('./profile/show.ts')).list,
  },
  {
    words: ['profile', 'show'],
    summary: 'Show a profile, where each value comes from, and where files are',
    changes: 'nothing',
    load: async () => (await import('./profile/show.ts')).show,
  },
  {
    words: ['profile', 'use'],
    summary: 'Make a profile the default',
    changes: 'machine',
    load: async () => (await import('./profile/show.ts')).use,
  },
  {
    words: ['profile', 'set'],
    summary: 'Change a setting of a profile',
    changes: 'machine',
    guide: 'settings',
    load: async () => (await import('./profile/set.ts')).set,
  },
  {
    words: ['profile', 'key'],
    summary: 'Replace the key of a profile',
    changes: 'machine',
    takesSecret: true,
    load: async () => (await import('./profile/key.ts')).key,
  },
  {
    words: ['profile', 'remove'],
    summary: 'Remove a profile and its key',
    changes: 'machine',
    load: async () => (await import('./profile/key.ts')).remove,
  },
  {
    words: ['profile', 'check'],
    summary: 'Check that a profile reaches its account, by reading only',
    changes: 'machine',
    load: async () => (await import('./profile/check.ts')).check,
  },
  {
    words: ['simulator', 'serve'],
    summary: 'Run a simulated service on this machine',
    changes: 'machine',
    load: async () => (await import('./simulator.ts')).simulatorServe,
  },
  {
    words: ['simulator', 'drill'],
    summary: 'Practise seven cases from real life on the demo',
    changes: 'machine',
    load: async () => (await import('./drill.ts')).simulatorDrill,
  },
  {
    words: ['simulator', 'reset'],
    summary: 'Reset the demo to its first state',
    changes: 'journal',
    load: async () => (await import('./simulator.ts')).simulatorReset,
  },
  {
    words: ['api'],
    summary: 'Send any request, with the key and version of a profile',
    changes: 'service',
    isRead: (words) => words.find((word) => /^(?:get|post|put|delete)$/i.test(word))?.toUpperCase() === 'GET',
    guide: 'scripting',
    load: async () => (await import('./api.ts')).api,
  },
  {
    words: ['release'],
    summary: 'Let a software agent send a plan, once, within an hour',
    changes: 'journal',
    guide: 'agents',
    load: async () => (await import('./release.ts')).release,
  },
  {
    words: ['mcp'],
    summary: 'Let a software agent read, and propose refunds as a plan',
    changes: 'nothing',
    guide: 'agents',
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    words: ['completion'],
    summary: 'Print the script for TAB completion in a shell',
    changes: 'nothing',
    load: async () => (await import('./completion.ts')).completion,
  },
];

/** The commands of a noun, in the order of help. */
export function commandsOf(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

/** The command whose words a line starts with; undefined if it names no command. */
export function findCommand(typed: readonly string[]): CommandEntry | undefined {
  return commands.find(({ words }) => words.every((word, index) => typed[index] === word));
}
