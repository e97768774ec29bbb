/** A desk of a team made of the program's parts: its client over real HTTP, its locks, the team's journal, and the one way to send. */

import { join } from 'node:path';
import { systemClock } from '../../bin/process-io.ts';
import { openClient } from '../../src/api/api.ts';
import type { Outcome } from '../../src/journal/journal.ts';
import { createChange } from '../../src/journal/make-change.ts';
import { createSqliteLocks } from '../../src/locks/sqlite/sqlite-locks.ts';
import { refundAmount } from '../atmost/desk.ts';
import type { Ledger, LedgerOrder } from '../atmost/ledger.ts';
import { defaultSettings, profileInUse } from '../harness/profile-in-use.ts';
import { testKey } from '../harness/service.ts';
import type { DeskOptions, Team } from '../journal/postgres/desks.ts';

export interface SendingDesk {
  /** Refunds a part of an order as `orders refund` does once the person said yes. */
  refund(order: LedgerOrder): Promise<Outcome>;
  close(): void;
}

/** Opens a desk with locks of its own, as another machine has them. */
export async function sendingDesk(
  team: Team,
  ledger: Ledger,
  options: DeskOptions = {},
): Promise<SendingDesk> {
  const home = options.home ?? team.home();
  const profile = profileInUse(ledger.url, {
    settings: { ...defaultSettings, 'orders.get': 'direct', 'reconcile.after': [0, 0] },
  });
  let seen: { readonly date: number; readonly wall: number } | undefined;
  const client = await openClient({
    profile,
    key: testKey,
    gate: { clean: (text) => text, cleanBody: (body) => body },
    version: '0',
    timeoutMs: 10_000,
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    onDate: (date) => {
      seen = { date, wall: Date.now() };
    },
  });
  const owner = { operator: options.person ?? 'ana', command: 'orders refund' };
  const change = createChange({
    ...client,
    service: { ...client.service, seenDate: () => seen },
    locks: createSqliteLocks({
      folder: join(home, 'locks'),
      clock: systemClock,
      owner,
      rules: { uid: process.getuid?.(), notice: () => undefined, movedBy: 'XDG_STATE_HOME' },
    }),
    store: team.desk({ ...options, home }),
    clock: systemClock,
    operator: owner.operator,
    shortTime: String,
    options: { dryRun: false, timeoutMs: 10_000 },
    notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
    ids: () => `i_${crypto.randomUUID().slice(0, 8)}`,
  });
  return {
    refund({ id }) {
      const [chargeId, amount] = [`ch_${id}`, refundAmount];
      const body = { charge_id: chargeId, amount };
      return change({
        kind: 'refund',
        orderId: id,
        request: { method: 'POST', path: `orders/${id}/refunds`, body },
        expected: [{ chargeId, amount: -amount }],
        amount,
        currency: 'MXN',
        again: [],
        approve: () => Promise.resolve(),
      });
    },
    close: () => client.close(),
  };
}
