/** A sender's rules over a journal in memory: members, an account, and refunds that are about to be sent. */

import { plainAmounts } from '../../src/amounts.ts';
import type { Moment, SentRow, VerdictRow } from '../../src/journal/rows/journal-rows.ts';
import type { TeamRules } from '../../src/journal/team-rules.ts';
import type { RuledAccount, RuledAsker } from '../../src/sender/at-sender/rules/check-refund.ts';
import { createRules, type MemberRules, type Ruled } from '../../src/sender/at-sender/rules/rules.ts';
import type { Role } from '../../src/sender/wire.ts';
import { createMemoryStore, Memory } from '../harness/memory-store.ts';
import { sent, verdict } from '../journal/rows.ts';

/** When the tests begin, Unix milliseconds. */
export const startMs = 1_790_000_000_000;
export const dayMs = 24 * 60 * 60_000;

const invited = { vic: 'viewer', pia: 'proposer', ana: 'operator', ben: 'operator', lea: 'lead' } as const;
export type Person = keyof typeof invited;

/** A team whose clock the test sets. */
export function newTeam() {
  const memory = new Memory();
  // The role of each member now; undefined: revoked.
  const roles: Record<string, Role | undefined> = { ...invited };
  const clock = { time: startMs, skewed: false };
  // A store of its own for each call, as each change of a sender has one.
  const store = () => createMemoryStore(memory);
  const moment = (): Moment => ({
    time: clock.time,
    wall: clock.time,
    mono: clock.time,
    skewed: clock.skewed,
  });
  const rules = createRules({
    store: store(),
    asking: store(),
    now: async () => moment(),
    isMember: async (name) => Object.hasOwn(roles, name),
    roleNow: async ({ member }) => roles[member],
  });
  let count = 0;
  const asker = (person: Person): RuledAsker => ({ member: person, role: invited[person], desk: 'desk-4' });
  return {
    memory,
    clock,
    roles,
    store: store(),
    rules: (person: Person): MemberRules => rules.of(asker(person), account),
    /** The same of somebody who has a token for the sandbox at the same address. */
    inSandbox: (person: Person): MemberRules => rules.of(asker(person), sandbox),
    /** Has a refund recorded for somebody, if the rules let it pass. Returns who approved it. `disk`: its row waits for that. */
    async send(
      person: Person,
      refund: SentRow,
      more: Partial<Ruled> = {},
      disk?: Promise<void>,
    ): Promise<string | undefined> {
      const row = {
        ...refund,
        time: clock.time,
        skewed: clock.skewed ? true : undefined,
        operator: person,
      } as const;
      let approvedBy: string | undefined;
      await rules.record(row, { asker: asker(person), account, ...more }, async (checked) => {
        ({ approvedBy } = checked);
        await disk;
        await store().append({ ...row, ...checked });
      });
      return approvedBy;
    },
    /** What became of it. */
    ended: (refund: SentRow, last: Partial<VerdictRow> = {}) =>
      store().append({ ...verdict(refund.change, clock.time), ...last }),
    /** A refund of so much, on an order of its own unless it is named. */
    refund(amount: number, more: Partial<SentRow> = {}, orderId?: string): SentRow {
      count += 1;
      return refundOf(amount, orderId ?? `ord_${count}`, `i_${count}`, more);
    },
    setLimits: (values: Parameters<TeamRules['setLimits']>[0]['values'], member = '*', currency = 'MXN') =>
      rules.of(asker('lea'), account).setLimits({ member, currency, values }),
  };
}

export type Team = ReturnType<typeof newTeam>;

const base = sent('i_1', startMs);
const account: RuledAccount = {
  service: {
    profile: { name: 'shop-mx', origin: base.origin, account: base.account, settings: plainAmounts },
  },
};
const sandbox: RuledAccount = {
  service: {
    profile: { ...account.service.profile, name: 'test-mx', account: `${base.origin} service sandbox` },
  },
};

function refundOf(amount: number, orderId: string, change: string, more: Partial<SentRow>): SentRow {
  const body = { charge_id: 'ch_1', amount };
  return {
    ...sent(change, startMs),
    request: { method: 'POST', path: `orders/${orderId}/refunds`, body },
    proof: {
      ...base.proof,
      orderId,
      body,
      expected: [{ chargeId: 'ch_1', amount: -amount }],
      before: {
        status: 'paid',
        amount: 9000,
        amountRefunded: 0,
        charges: [{ id: 'ch_1', status: 'paid', amount: 9000, refunds: [] }],
      },
    },
    amount,
    currency: 'MXN',
    note: undefined,
    ...more,
  };
}
