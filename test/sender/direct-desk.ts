/** A desk without a command line: hands refunds over to a sender, as `orders refund` does after the yes, and says what it knows. */

import { join } from 'node:path';
import { systemClock } from '../../bin/process-io.ts';
import { createTransport } from '../../src/api/client.ts';
import { CliError } from '../../src/errors.ts';
import type { ClockWithTimers } from '../../src/io.ts';
import type { Change } from '../../src/journal/journal.ts';
import type { Profile } from '../../src/profiles/profiles.ts';
import { readSettings } from '../../src/profiles/settings.ts';
import { changeThrough, type DeskParts } from '../../src/sender/at-desk/hand-over.ts';
import { createHandedOver } from '../../src/sender/at-desk/handed-over.ts';
import { createHop } from '../../src/sender/at-desk/hop.ts';
import type { Json } from '../harness/orders.ts';

/** What a desk says in the end. `unknown`: nobody knows here. */
export type Said = 'made' | 'refused' | 'not handed over' | 'unconfirmed' | 'unknown';

export interface DirectDesk {
  /** Hands a refund of 300 over, or of what `more` says. */
  refund(
    order: Json,
    id: string,
    more?: Partial<Change>,
  ): Promise<{ readonly said: Said; readonly error: CliError | undefined }>;
  close(): void;
}

/**
 * A desk whose connections break pauses twenty times less than that of a person, and takes a sender that is silent for as many
 * times less (`silence`) for one that is gone.
 */
export function quickClock(silence = 20): ClockWithTimers {
  return {
    ...systemClock,
    after: (ms, callback) => systemClock.after(ms / silence, callback),
    sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
  };
}

const rules = { uid: process.getuid?.(), notice: () => undefined };

/** `url`: where it reaches the sender. */
export function directDesk({
  url,
  token,
  folder,
  profile = shopAt(url),
  clock = quickClock(),
  saysYesAgain = false,
}: {
  readonly url: string;
  readonly token: string;
  readonly folder: string;
  readonly profile?: Profile;
  readonly clock?: ClockWithTimers;
  /** Its person says yes again to an order that has changed meanwhile. */
  readonly saysYesAgain?: boolean;
}): DirectDesk {
  const signal = new AbortController().signal;
  const hop = createHop({
    sender: { origin: url, account: 'shop', member: 'ana', role: 'operator', desk: 'desk-1' },
    token: () => Promise.resolve(token),
    transport: createTransport({ clock }),
    clock,
    version: '0.0.0-test',
    mode: 'sandbox',
    machine: 'desk-1',
    timeoutMs: 60_000,
    signal,
  });
  const parts: DeskParts = {
    hop,
    account: 'shop',
    sender: url,
    handedOver: createHandedOver(join(folder, 'handed-over'), rules),
    notes: { note: () => undefined, warn: () => undefined, waiting: () => () => undefined },
    clock,
    profile,
    zone: () => 'UTC',
    timeoutMs: 60_000,
    shortTime: (ms) => new Date(ms).toISOString(),
    stopWaiting: signal,
    leave: signal,
    startChange: () => () => undefined,
    changed: () => undefined,
  };
  return {
    async refund(order, id, more = {}) {
      try {
        const outcome = await changeThrough(parts, id, refundOf(order, more), {
          shown: { value: order, bytes: new TextEncoder().encode(JSON.stringify(order)) },
          checkFresh: async () => {
            if (saysYesAgain) return;
            throw new CliError('refused', 'the order changed', { certain: 'nothing was sent' });
          },
        });
        const isOpen = outcome.verdict === 'unknown' || outcome.verdict === 'not_seen';
        return {
          said: outcome.verdict === 'applied' ? 'made' : isOpen ? 'unconfirmed' : 'refused',
          error: undefined,
        };
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        return { said: saidBy(error), error };
      }
    },
    close: () => hop.close(),
  };
}

function saidBy(error: CliError): Said {
  if (error.kind === 'unconfirmed') return 'unknown';
  return error.kind === 'network' ? 'not handed over' : 'refused';
}

function refundOf(order: Json, more: Partial<Change>): Change {
  const id = String(order.id);
  const chargeId = `ch_${id}`;
  const { amount = 300 } = more;
  return {
    kind: 'refund',
    orderId: id,
    request: { method: 'POST', path: `orders/${id}/refunds`, body: { charge_id: chargeId, amount } },
    expected: [{ chargeId, amount: -amount }],
    tolerated: [],
    amount,
    currency: 'MXN',
    again: [],
    asked: { order: id, amount },
    ...more,
  };
}

function shopAt(url: string): Profile {
  return {
    name: 'shop',
    kind: 'stored',
    mode: 'sandbox',
    baseUrl: url,
    origin: 'http://service.test',
    vendor: 'service',
    apiVersion: '1.0.0',
    lang: undefined,
    auth: 'bearer',
    settings: readSettings({}, 'sandbox', 'shop'),
    account: 'shop',
  };
}
