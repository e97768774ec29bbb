/** The table of commands: the words and summary of each, and how it is loaded. Help and the command line start here. */

import type { Command } from './command.ts';

/** What a command can change at the service or of its journal: `service`, by sending; `journal`, only what is recorded of it. */
export type WhatChanges = 'service' | 'journal';

/** A command. The code of it is loaded only when it runs or its help is asked for. */
export interface CommandEntry extends Row {
  readonly words: readonly [string, ...string[]];
  readonly changes: NonNullable<Row['changes']>;
}

/** What the table says of a command. */
interface Row {
  readonly summary: string;
  /**
   * The most that it can change, by itself or by commands that it runs; absent: nothing. Without `service` it cannot send. `machine`:
   * settings, keys (also that of the desk, which an export makes if there is none), the index or other files of this machine, and the
   * limits of an account. Files that options name, such as `--to`, do not count.
   */
  readonly changes?: WhatChanges | 'machine' | 'nothing';
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

/** A noun such as `orders`, with its summary, an example, the help topic about its commands, and these by their verbs. */
interface Group {
  readonly summary: string;
  readonly example: string;
  readonly guide: string;
  readonly verbs: Readonly<Record<string, Row>>;
}

/** Every noun with its verbs, and every command of one word, in the order of a working day, which is the order of help. */
const table: Readonly<Record<string, Group | Row>> = {
  orders: {
    summary: 'List, find, show, refund, capture, create and export orders',
    example: 'paydesk -p demo orders list --limit 5',
    guide: 'refund',
    verbs: {
      list: {
        summary: 'List orders, one page at a time',
        guide: 'output',
        load: async () => (await import('./orders/list.ts')).list,
      },
      show: {
        summary: 'Show one order: its money, refunds and items',
        guide: 'when-a-reply-is-lost',
        load: async () => (await import('./orders/show.ts')).show,
      },
      find: {
        summary: 'Find orders by what they show: a name, a card, an amount, an id',
        guide: 'find',
        load: async () => (await import('./orders/find.ts')).find,
      },
      browse: {
        summary: 'Look through the newest orders on a screen: show, refund, capture, mark',
        changes: 'service',
        runs: ['orders show', 'orders refund', 'orders capture', 'refunds plan'],
        guide: 'find',
        load: async () => (await import('./orders/browse.ts')).browse,
      },
      refund: {
        summary: 'Refund an order, one of its charges, or part of a charge',
        changes: 'service',
        load: async () => (await import('./orders/refund.ts')).refund,
      },
      capture: {
        summary: 'Capture an order that was authorized earlier',
        changes: 'service',
        load: async () => (await import('./orders/capture.ts')).capture,
      },
      create: {
        summary: 'Create an order, with a checkout or without',
        changes: 'service',
        guide: 'create',
        load: async () => (await import('./create.ts')).createOrders,
      },
      export: {
        summary: 'Export all orders, charges or refunds of a time range',
        changes: 'machine',
        guide: 'exports',
        load: async () => (await import('./orders/export.ts')).exportOrders,
      },
      summary: {
        summary: 'Add up the orders of a period: by status, day, week, month or brand of card',
        guide: 'reports',
        load: async () => (await import('./orders/waiting.ts')).summary,
      },
      waiting: {
        summary: 'Count the authorized orders that wait for their capture, by age',
        guide: 'reports',
        load: async () => (await import('./orders/waiting.ts')).waiting,
      },
      compare: {
        summary: 'Compare an invoice list with what was charged',
        guide: 'reports',
        load: async () => (await import('./orders/compare.ts')).compare,
      },
      twins: {
        summary: 'List orders of a period that somebody may have paid twice',
        guide: 'reports',
        load: async () => (await import('./orders/twins.ts')).twins,
      },
    },
  },
  refunds: {
    summary: 'Refund many orders from a file, and add up what was refunded',
    example: 'paydesk -p demo refunds plan refunds.csv --to refunds.plan',
    guide: 'many-refunds',
    verbs: {
      plan: {
        summary: 'Check a file of refunds and make a plan of it; sends nothing',
        load: async () => (await import('./refunds/plan.ts')).plan,
      },
      apply: {
        summary: 'Send the refunds of a plan, each at most once',
        changes: 'service',
        load: async () => (await import('./refunds/plan.ts')).apply,
      },
      status: {
        summary: 'Show what became of every row of a plan',
        load: async () => (await import('./refunds/plan.ts')).status,
      },
      compare: {
        summary: 'Compare a list of orders with what was refunded',
        load: async () => (await import('./refunds/plan.ts')).compare,
      },
      receipt: {
        summary: 'Write the words for the buyer about one refund',
        guide: 'refund',
        load: async () => (await import('./orders/for-buyer.ts')).receipt,
      },
      list: {
        summary: 'List the refunds of a period: how much, why, and by whom',
        guide: 'reports',
        load: async () => (await import('./refunds/list.ts')).list,
      },
      summary: {
        summary: 'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate',
        guide: 'reports',
        load: async () => (await import('./refunds/summary.ts')).summary,
      },
    },
  },
  undo: {
    summary: 'Say what can still be done about the last change',
    guide: 'refund',
    load: async () => (await import('./undo.ts')).undo,
  },
  today: {
    summary: 'Show the day of the desk: unconfirmed, refunded, waiting, twins',
    guide: 'reports',
    load: async () => (await import('./today.ts')).today,
  },
  customers: {
    summary: 'List, show, find and export customers',
    example: 'paydesk -p demo customers list --limit 5',
    guide: 'find',
    verbs: {
      list: {
        summary: 'List customers, one page at a time',
        load: async () => (await import('./customers/show.ts')).list,
      },
      show: {
        summary: 'Show one customer',
        load: async () => (await import('./customers/show.ts')).show,
      },
      find: {
        summary: 'Find customers by name, e-mail, phone or reference',
        load: async () => (await import('./customers/find.ts')).find,
      },
      export: {
        summary: 'Export all customers',
        changes: 'machine',
        guide: 'exports',
        load: async () => (await import('./customers/show.ts')).exportCustomers,
      },
    },
  },
  checkout: {
    summary: 'Make a payment link',
    example: 'paydesk -p demo checkout create',
    guide: 'create',
    verbs: {
      create: {
        summary: 'Create a payment link',
        changes: 'service',
        load: async () => (await import('./create.ts')).createCheckout,
      },
    },
  },
  journal: {
    summary: 'See what was sent, and clear up what is unconfirmed',
    example: 'paydesk journal list --open',
    guide: 'when-a-reply-is-lost',
    verbs: {
      list: {
        summary: 'List what was sent, and whether it was made',
        load: async () => (await import('./journal/list.ts')).list,
      },
      show: {
        summary: 'Show one change, its history, and what to do now',
        load: async () => (await import('./journal/show.ts')).show,
      },
      reconcile: {
        summary: 'Read orders again to clear up unconfirmed changes',
        changes: 'journal',
        load: async () => (await import('./journal/reconcile.ts')).reconcile,
      },
      settle: {
        summary: 'Record by hand whether an unconfirmed change was made',
        changes: 'journal',
        load: async () => (await import('./journal/settle.ts')).settle,
      },
      acknowledge: {
        summary: 'Clear an alarm, such as a duplicate refund, that somebody has dealt with',
        changes: 'journal',
        load: async () => (await import('./journal/acknowledge.ts')).acknowledge,
      },
      verify: {
        summary: 'Check that the journal is whole; repair it',
        changes: 'journal',
        load: async () => (await import('./journal/verify.ts')).verify,
      },
      forget: {
        summary: 'Erase bodies, notes and links of settled changes',
        changes: 'journal',
        load: async () => (await import('./journal/export.ts')).forget,
      },
      archive: {
        summary: 'Move settled changes of long ago into a file',
        changes: 'journal',
        load: async () => (await import('./journal/export.ts')).archive,
      },
      export: {
        summary: 'Print every change that was sent, or write the journal for another machine',
        load: async () => (await import('./journal/export.ts')).exportJournal,
      },
      import: {
        summary: 'Import the journal of another machine',
        changes: 'journal',
        load: async () => (await import('./journal/export.ts')).importJournal,
      },
    },
  },
  report: {
    summary: 'Write an HTML report about the refunds of a period',
    guide: 'reports',
    load: async () => (await import('./report.ts')).report,
  },
  prove: {
    summary: 'Write one refund, or a period, into a signed file; check one',
    changes: 'machine',
    guide: 'evidence',
    load: async () => (await import('./prove.ts')).prove,
  },
  index: {
    summary: 'Find orders at once, with an index on this machine',
    example: 'paydesk -p demo index build',
    guide: 'find',
    verbs: {
      build: {
        summary: 'Read all orders into an index on this machine, so that they are found at once',
        changes: 'machine',
        load: async () => (await import('./index/build.ts')).build,
      },
      refresh: {
        summary: 'Bring the index up to date: read new orders, and old ones that may have changed',
        changes: 'machine',
        load: async () => (await import('./index/refresh.ts')).refresh,
      },
      status: {
        summary: 'Show what the index knows, and how old that is',
        load: async () => (await import('./index/build.ts')).status,
      },
      forget: {
        summary: 'Take a buyer, old orders or everything out of the index',
        changes: 'machine',
        load: async () => (await import('./index/forget.ts')).forget,
      },
      rekey: {
        summary: 'Seal the index with a new key',
        changes: 'machine',
        load: async () => (await import('./index/build.ts')).rekey,
      },
    },
  },
  sender: {
    summary: 'Let one service of the team send for all its desks',
    example: 'paydesk sender members',
    guide: 'team',
    verbs: {
      init: {
        summary: 'Make the file of a sender: accounts, address, certificate',
        changes: 'machine',
        load: async () => (await import('./sender/serve.ts')).init,
      },
      serve: {
        summary: 'Run the sender until a signal comes',
        changes: 'machine',
        load: async () => (await import('./sender/serve.ts')).serve,
      },
      migrate: {
        summary: 'Make the tables of the journal in a database, or print the statements',
        changes: 'journal',
        load: async () => (await import('./sender/serve.ts')).migrate,
      },
      verify: {
        summary: 'Check every row of the journal of the sender, and what is derived of them',
        load: async () => (await import('./sender/serve.ts')).verify,
      },
      invite: {
        summary: 'Print an invitation to the sender, for one use within a day',
        changes: 'journal',
        load: async () => (await import('./sender/members.ts')).invite,
      },
      members: {
        summary: 'List the members, their desks, and when each was used last',
        load: async () => (await import('./sender/members.ts')).members,
      },
      limits: {
        summary: 'Show the limits of the team; a lead sets them',
        changes: 'journal',
        load: async () => (await import('./sender/limits.ts')).limits,
      },
      revoke: {
        summary: 'End the tokens of a member, or that of one desk',
        changes: 'journal',
        load: async () => (await import('./sender/members.ts')).revoke,
      },
    },
  },
  approvals: {
    summary: 'Approve refunds of a team that need a second person',
    example: 'paydesk approvals list',
    guide: 'team',
    verbs: {
      list: {
        summary: 'List what waits for the approval of a second person',
        load: async () => (await import('./approvals.ts')).list,
      },
      show: {
        summary: 'Show a request, with the order as it is now',
        load: async () => (await import('./approvals.ts')).show,
      },
      approve: {
        summary: 'Approve the refund or plan of somebody else',
        changes: 'journal',
        load: async () => (await import('./approvals.ts')).approve,
      },
      reject: {
        summary: 'Reject a request, or take your own back',
        changes: 'journal',
        load: async () => (await import('./approvals.ts')).reject,
      },
    },
  },
  profile: {
    summary: 'Add, check and set up accounts and their keys',
    example: 'paydesk profile list',
    guide: 'accounts',
    verbs: {
      add: {
        summary: 'Add an account: its address, mode and key',
        changes: 'machine',
        takesSecret: true,
        load: async () => (await import('./profile/add.ts')).add,
      },
      list: {
        summary: 'List the accounts',
        load: async () => (await import('./profile/show.ts')).list,
      },
      show: {
        summary: 'Show a profile, where each value comes from, and where files are',
        load: async () => (await import('./profile/show.ts')).show,
      },
      use: {
        summary: 'Make a profile the default',
        changes: 'machine',
        load: async () => (await import('./profile/show.ts')).use,
      },
      set: {
        summary: 'Change a setting of a profile',
        changes: 'machine',
        guide: 'settings',
        load: async () => (await import('./profile/set.ts')).set,
      },
      key: {
        summary: 'Replace the key of a profile',
        changes: 'machine',
        takesSecret: true,
        load: async () => (await import('./profile/key.ts')).key,
      },
      remove: {
        summary: 'Remove a profile and its key',
        changes: 'machine',
        load: async () => (await import('./profile/key.ts')).remove,
      },
      check: {
        summary: 'Check that a profile reaches its account, by reading only',
        changes: 'machine',
        load: async () => (await import('./profile/check.ts')).check,
      },
    },
  },
  simulator: {
    summary: 'Serve the simulated service, practise on the demo, or reset it',
    example: 'paydesk simulator reset',
    guide: 'scripting',
    verbs: {
      serve: {
        summary: 'Run a simulated service on this machine',
        changes: 'machine',
        load: async () => (await import('./simulator.ts')).simulatorServe,
      },
      drill: {
        summary: 'Practise seven cases from real life on the demo',
        changes: 'machine',
        load: async () => (await import('./simulator.ts')).simulatorDrill,
      },
      reset: {
        summary: 'Reset the demo to its first state',
        changes: 'journal',
        load: async () => (await import('./simulator.ts')).simulatorReset,
      },
    },
  },
  api: {
    summary: 'Send any request, with the key and version of a profile',
    changes: 'service',
    isRead: (words) => words.find((word) => /^(?:get|post|put|delete)$/i.test(word))?.toUpperCase() === 'GET',
    guide: 'scripting',
    load: async () => (await import('./api.ts')).api,
  },
  release: {
    summary: 'Let a software agent send a plan, once, within an hour',
    changes: 'journal',
    guide: 'agents',
    load: async () => (await import('./agents.ts')).release,
  },
  mcp: {
    summary: 'Let a software agent read, and propose refunds as a plan',
    guide: 'agents',
    load: async () => (await import('./agents.ts')).mcp,
  },
  completion: {
    summary: 'Print the script for TAB completion in a shell',
    load: async () => (await import('./completion.ts')).completion,
  },
};

/** The nouns that have verbs, by name. */
export const groups: Readonly<Record<string, Group>> = Object.fromEntries(
  Object.entries(table).flatMap(([noun, one]) => ('verbs' in one ? [[noun, one]] : [])),
);

/** Every command, in the order of help. */
export const commands: readonly CommandEntry[] = Object.entries(table).flatMap(([first, one]) =>
  'verbs' in one
    ? Object.entries(one.verbs).map(([verb, row]) => entryOf([first, verb], row))
    : [entryOf([first], one)],
);

function entryOf(words: CommandEntry['words'], row: Row): CommandEntry {
  return { words, changes: 'nothing', ...row };
}

/** The commands of a noun, in the order of help. */
export function commandsOf(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

/** The command whose words a line starts with; undefined if it names no command. */
export function findCommand(typed: readonly string[]): CommandEntry | undefined {
  return commands.find(({ words }) => words.every((word, index) => typed[index] === word));
}
