/** The table of commands: the words and summary of each, and how it is loaded. Help and the command line start here. */

import type { Command } from './command.ts';

/** What a command can change: `service`, by sending to it; `journal`, only what the journal records. */
export type WhatChanges = 'service' | 'journal';

/** A command. Its code is loaded only when it runs or when its help is asked for. */
export interface CommandEntry extends Verb {
  readonly words: readonly [string, ...string[]];
  readonly changes: NonNullable<Verb['changes']>;
  readonly load: () => Promise<Command>;
}

/** What the table says about a command besides its word and its file. */
interface Verb {
  readonly summary: string;
  /**
   * The most that it can change, by itself or by commands that it runs; absent: nothing. Without `service` it cannot send. `machine`:
   * settings, keys (also that of the desk, which an export makes if there is none), the index or other files of this machine, and the
   * limits of an account. Files that options name, such as `--to`, do not count.
   */
  readonly changes?: WhatChanges | 'machine' | 'nothing';
  /** The commands that it runs for the person at its screen. By itself it changes nothing. */
  readonly runs?: readonly string[];
  /** The command asks for a key, so somebody may type one as an argument. */
  readonly takesSecret?: true;
  /** Whether it only reads when these words are typed. */
  readonly isRead?: (words: readonly string[]) => boolean;
  /** The help topic about it, if it is not that of its noun. */
  readonly guide?: string;
}

/** Commands by their last words. */
type Commands = Readonly<Record<string, Omit<CommandEntry, 'words'>>>;

// The commands of one file, which exports each under its word.
function inFile<Word extends string>(
  load: () => Promise<Readonly<Record<NoInfer<Word>, Command>>>,
  verbs: Readonly<Record<Word, Verb>>,
): Commands {
  const words = Object.keys(verbs) as Word[];
  return Object.fromEntries(
    words.map((word) => [
      word,
      { changes: 'nothing', ...verbs[word], load: async () => (await load())[word] },
    ]),
  );
}

/** A noun such as `orders`, with its summary, an example, the help topic about its commands, and the commands. */
interface Group {
  readonly summary: string;
  readonly example: string;
  readonly guide: string;
  readonly verbs: Commands;
}

/** Every noun with its verbs, and every command of one word, in the order of a working day, which is the order of help. */
const table: Readonly<Record<string, Group | Commands[string]>> = {
  orders: {
    summary: 'List, find, show, refund, capture, create and export orders',
    example: 'paydesk -p demo orders list --limit 5',
    guide: 'refund',
    verbs: {
      ...inFile(() => import('./orders/list.ts'), {
        list: { summary: 'List orders, one page at a time', guide: 'output' },
      }),
      ...inFile(() => import('./orders/show.ts'), {
        show: { summary: 'Show one order: its money, refunds and items', guide: 'when-a-reply-is-lost' },
      }),
      ...inFile(() => import('./orders/find.ts'), {
        find: { summary: 'Find orders by what they show: a name, a card, an amount, an id', guide: 'find' },
      }),
      ...inFile(() => import('./orders/browse.ts'), {
        browse: {
          summary: 'Look through the newest orders on a screen: show, refund, capture, mark',
          changes: 'service',
          runs: ['orders show', 'orders refund', 'orders capture', 'refunds plan'],
          guide: 'find',
        },
      }),
      ...inFile(() => import('./orders/refund.ts'), {
        refund: { summary: 'Refund an order, one of its charges, or part of a charge', changes: 'service' },
        capture: { summary: 'Capture an order that was authorized earlier', changes: 'service' },
      }),
      ...inFile(async () => ({ create: (await import('./create.ts')).createOrders }), {
        create: {
          summary: 'Create an order, with a checkout or without',
          changes: 'service',
          guide: 'create',
        },
      }),
      ...inFile(() => import('./orders/export.ts'), {
        export: {
          summary: 'Export all orders, charges or refunds of a time range',
          changes: 'machine',
          guide: 'exports',
        },
      }),
      ...inFile(() => import('./orders/summary.ts'), {
        summary: {
          summary: 'Add up the orders of a period: by status, day, week, month or brand of card',
          guide: 'reports',
        },
      }),
      ...inFile(() => import('./orders/waiting.ts'), {
        waiting: {
          summary: 'Count the authorized orders that wait for their capture, by age',
          guide: 'reports',
        },
      }),
      ...inFile(() => import('./orders/compare.ts'), {
        compare: { summary: 'Compare an invoice list with what was charged', guide: 'reports' },
      }),
      ...inFile(() => import('./orders/twins.ts'), {
        twins: { summary: 'List orders of a period that somebody may have paid twice', guide: 'reports' },
      }),
    },
  },
  refunds: {
    summary: 'Refund many orders from a file, and add up what was refunded',
    example: 'paydesk -p demo refunds plan refunds.csv --to refunds.plan',
    guide: 'many-refunds',
    verbs: {
      ...inFile(() => import('./refunds/plan.ts'), {
        plan: { summary: 'Check a file of refunds and make a plan of it; sends nothing' },
        apply: { summary: 'Send the refunds of a plan, each at most once', changes: 'service' },
        status: { summary: 'Show what became of every row of a plan' },
      }),
      ...inFile(() => import('./refunds/compare.ts'), {
        compare: { summary: 'Compare a list of orders with what was refunded' },
      }),
      ...inFile(() => import('./orders/for-buyer.ts'), {
        receipt: { summary: 'Write the words for the buyer about one refund', guide: 'refund' },
      }),
      ...inFile(() => import('./refunds/list.ts'), {
        list: { summary: 'List the refunds of a period: how much, why, and by whom', guide: 'reports' },
      }),
      ...inFile(() => import('./refunds/summary.ts'), {
        summary: {
          summary: 'Add up the refunds of a period: by reason, operator, day or brand of card, and the rate',
          guide: 'reports',
        },
      }),
    },
  },
  ...inFile(() => import('./undo.ts'), {
    undo: { summary: 'Say what can still be done about the last change', guide: 'refund' },
  }),
  ...inFile(() => import('./today.ts'), {
    today: { summary: 'Show the day of the desk: unconfirmed, refunded, waiting, twins', guide: 'reports' },
  }),
  customers: {
    summary: 'List, show, find and export customers',
    example: 'paydesk -p demo customers list --limit 5',
    guide: 'find',
    verbs: {
      ...inFile(() => import('./customers/show.ts'), {
        list: { summary: 'List customers, one page at a time' },
        show: { summary: 'Show one customer' },
      }),
      ...inFile(() => import('./customers/find.ts'), {
        find: { summary: 'Find customers by name, e-mail, phone or reference' },
      }),
      ...inFile(() => import('./customers/show.ts'), {
        export: { summary: 'Export all customers', changes: 'machine', guide: 'exports' },
      }),
    },
  },
  checkout: {
    summary: 'Make a payment link',
    example: 'paydesk -p demo checkout create',
    guide: 'create',
    verbs: {
      ...inFile(async () => ({ create: (await import('./create.ts')).createCheckout }), {
        create: { summary: 'Create a payment link', changes: 'service' },
      }),
    },
  },
  journal: {
    summary: 'See what was sent, and clear up what is unconfirmed',
    example: 'paydesk journal list --open',
    guide: 'when-a-reply-is-lost',
    verbs: {
      ...inFile(() => import('./journal/list.ts'), {
        list: { summary: 'List what was sent, and whether it was made' },
      }),
      ...inFile(() => import('./journal/show.ts'), {
        show: { summary: 'Show one change, its history, and what to do now' },
      }),
      ...inFile(() => import('./journal/reconcile.ts'), {
        reconcile: { summary: 'Read orders again to clear up unconfirmed changes', changes: 'journal' },
      }),
      ...inFile(() => import('./journal/settle.ts'), {
        settle: { summary: 'Record by hand whether an unconfirmed change was made', changes: 'journal' },
      }),
      ...inFile(() => import('./journal/acknowledge.ts'), {
        acknowledge: {
          summary: 'Clear an alarm, such as a duplicate refund, that somebody has dealt with',
          changes: 'journal',
        },
      }),
      ...inFile(() => import('./journal/verify.ts'), {
        verify: { summary: 'Check that the journal is whole; repair it', changes: 'journal' },
      }),
      ...inFile(() => import('./journal/export.ts'), {
        forget: { summary: 'Erase bodies, notes and links of settled changes', changes: 'journal' },
        archive: { summary: 'Move old settled changes into a file', changes: 'journal' },
        export: { summary: 'Write the journal into a file, for another machine' },
        import: { summary: 'Import the journal of another machine', changes: 'journal' },
      }),
    },
  },
  ...inFile(() => import('./report.ts'), {
    report: { summary: 'Write an HTML report about the refunds of a period', guide: 'reports' },
  }),
  ...inFile(() => import('./prove.ts'), {
    prove: {
      summary: 'Write one refund, or a period, into a signed file; check one',
      changes: 'machine',
      guide: 'evidence',
    },
  }),
  index: {
    summary: 'Find orders at once, with an index on this machine',
    example: 'paydesk -p demo index build',
    guide: 'find',
    verbs: {
      ...inFile(() => import('./index/build.ts'), {
        build: {
          summary: 'Read all orders into an index on this machine, so that they are found at once',
          changes: 'machine',
        },
      }),
      ...inFile(() => import('./index/refresh.ts'), {
        refresh: {
          summary: 'Bring the index up to date: read new orders, and old ones that may have changed',
          changes: 'machine',
        },
      }),
      ...inFile(() => import('./index/build.ts'), {
        status: { summary: 'Show what the index knows, and how old that is' },
      }),
      ...inFile(() => import('./index/forget.ts'), {
        forget: { summary: 'Take a buyer, old orders or everything out of the index', changes: 'machine' },
      }),
      ...inFile(() => import('./index/build.ts'), {
        rekey: { summary: 'Seal the index with a new key', changes: 'machine' },
      }),
    },
  },
  sender: {
    summary: 'Let one service of the team send for all its desks',
    example: 'paydesk sender members',
    guide: 'team',
    verbs: {
      ...inFile(() => import('./sender/serve.ts'), {
        init: { summary: 'Make the file of a sender: accounts, address, certificate', changes: 'machine' },
        serve: { summary: 'Run the sender until a signal comes', changes: 'machine' },
        migrate: {
          summary: 'Make the tables of the journal in a database, or print the statements',
          changes: 'journal',
        },
        verify: { summary: 'Check every row of the journal of the sender, and what is derived from them' },
      }),
      ...inFile(() => import('./sender/members.ts'), {
        invite: {
          summary: 'Print an invitation to the sender, for one use within a day',
          changes: 'journal',
        },
        members: { summary: 'List the members, their desks, and when each was last used' },
      }),
      ...inFile(() => import('./sender/limits.ts'), {
        limits: { summary: 'Show the limits of the team; a lead sets them', changes: 'journal' },
      }),
      ...inFile(() => import('./sender/members.ts'), {
        revoke: { summary: 'End the tokens of a member, or that of one desk', changes: 'journal' },
      }),
    },
  },
  approvals: {
    summary: 'Approve refunds of a team that need a second person',
    example: 'paydesk approvals list',
    guide: 'team',
    verbs: {
      ...inFile(() => import('./approvals.ts'), {
        list: { summary: 'List what waits for the approval of a second person' },
        show: { summary: 'Show a request, with the order as it is now' },
        approve: { summary: 'Approve the refund or plan of somebody else', changes: 'journal' },
        reject: { summary: 'Reject a request, or take your own back', changes: 'journal' },
      }),
    },
  },
  profile: {
    summary: 'Add, check and set up accounts and their keys',
    example: 'paydesk profile list',
    guide: 'accounts',
    verbs: {
      ...inFile(() => import('./profile/add.ts'), {
        add: { summary: 'Add an account: its address, mode and key', changes: 'machine', takesSecret: true },
      }),
      ...inFile(() => import('./profile/show.ts'), {
        list: { summary: 'List the accounts' },
        show: { summary: 'Show a profile, where each value comes from, and where files are' },
        use: { summary: 'Make a profile the default', changes: 'machine' },
      }),
      ...inFile(() => import('./profile/set.ts'), {
        set: { summary: 'Change a setting of a profile', changes: 'machine', guide: 'settings' },
      }),
      ...inFile(() => import('./profile/key.ts'), {
        key: { summary: 'Replace the key of a profile', changes: 'machine', takesSecret: true },
        remove: { summary: 'Remove a profile and its key', changes: 'machine' },
      }),
      ...inFile(() => import('./profile/purge.ts'), {
        purge: { summary: 'Remove all that paydesk keeps for you on this machine', changes: 'journal' },
      }),
      ...inFile(() => import('./profile/check.ts'), {
        check: { summary: 'Check that a profile reaches its account, by reading only', changes: 'machine' },
      }),
    },
  },
  simulator: {
    summary: 'Serve the simulated service, practise on the demo, or reset it',
    example: 'paydesk simulator reset',
    guide: 'scripting',
    verbs: {
      ...inFile(() => import('./simulator.ts'), {
        serve: { summary: 'Run a simulated service on this machine', changes: 'machine' },
        drill: { summary: 'Practise seven cases from real life on the demo', changes: 'machine' },
        reset: { summary: 'Reset the demo to its first state', changes: 'journal' },
      }),
    },
  },
  ...inFile(() => import('./api.ts'), {
    api: {
      summary: 'Send any request, with the key and version of a profile',
      changes: 'service',
      isRead: (words) =>
        words.find((word) => /^(?:get|post|put|delete)$/i.test(word))?.toUpperCase() === 'GET',
      guide: 'scripting',
    },
  }),
  ...inFile(() => import('./agents.ts'), {
    release: {
      summary: 'Let a software agent send a plan, once, within an hour',
      changes: 'journal',
      guide: 'agents',
    },
    mcp: { summary: 'Let a software agent read, and propose refunds as a plan', guide: 'agents' },
  }),
  ...inFile(() => import('./completion.ts'), {
    completion: { summary: 'Print the script for TAB completion in a shell', changes: 'machine' },
  }),
};

/** The nouns that have verbs, by name. */
export const groups: Readonly<Record<string, Group>> = Object.fromEntries(
  Object.entries(table).flatMap(([noun, one]) => ('verbs' in one ? [[noun, one]] : [])),
);

/** Every command, in the order of help. */
export const commands: readonly CommandEntry[] = Object.entries(table).flatMap(([first, one]) =>
  'verbs' in one
    ? Object.entries(one.verbs).map(([verb, entry]): CommandEntry => ({ words: [first, verb], ...entry }))
    : [{ words: [first], ...one }],
);

/** The commands of a noun, in the order of help. */
export function commandsOf(noun: string): readonly CommandEntry[] {
  return commands.filter(({ words }) => words[0] === noun);
}

/** The command whose words a line starts with; undefined if it names no command. */
export function findCommand(typed: readonly string[]): CommandEntry | undefined {
  return commands.find(({ words }) => words.every((word, index) => typed[index] === word));
}

/** Every first word of a command with what it is about, in the order of help. */
export function nounSummaries(): ReadonlyMap<string, string> {
  return new Map(commands.map(({ words: [noun], summary }) => [noun, groups[noun]?.summary ?? summary]));
}
