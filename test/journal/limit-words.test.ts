/** What a person reads when a limit of the team forbids a refund, or when an approval does not count. */

import { expect, it } from 'vitest';
import type { CliError } from '../../src/errors.ts';
import type { LimitFinding, TeamLimit } from '../../src/journal/team-rules.ts';
import { approvalRefusal, LimitRefusal, teamLimitWords } from '../../src/journal/words/limit-words.ts';

const limit: TeamLimit = { member: '*', currency: 'MXN', name: 'max', value: 50_000, setBy: 'lea', setAt: 5 };
const finding: LimitFinding = {
  problem: undefined,
  limit,
  amount: 60_000,
  currency: 'MXN',
  ofOrder: 0,
  ofMember: 0,
  needsSecond: false,
};
const style = { 'amounts.decimals': { MXN: 2 }, 'amounts.grouping': 'off' } as const;

const linesOf = ({ message, parts }: CliError) => [message, ...(parts.now ?? []), ''].join('\n');

it('says which limit forbids a refund, who set it, and what to do now', () => {
  const findings: readonly Partial<LimitFinding>[] = [
    { problem: 'max' },
    { problem: 'max', amount: 20_000, ofOrder: 40_000 },
    { problem: 'max', ofOrder: 50_000, limit: { ...limit, member: 'ana' } },
    { problem: 'max', limit: undefined },
    { problem: 'day' },
    { problem: 'day', ofMember: 1 },
    { problem: 'currency', currency: 'USD', limit: undefined },
    { problem: 'currency', currency: '', limit: undefined },
    { problem: 'reason', limit: { ...limit, name: 'reason', value: 1 } },
    { problem: 'note', limit: undefined },
    { needsSecond: true, limit: { ...limit, name: 'second' } },
    { needsSecond: true, ofOrder: 20_000, limit: { ...limit, name: 'second' } },
    { needsSecond: true, limit: { ...limit, name: 'second', value: 'none' } },
    { needsSecond: true, limit: undefined },
  ];
  const refusals = findings.map((more) => new LimitRefusal({ ...finding, ...more }, style));
  for (const { kind, parts } of refusals)
    expect([kind, parts.certain]).toEqual(['refused', 'nothing was sent']);
  expect(refusals.map(linesOf).join('\n')).toMatchInlineSnapshot(`
    "60000 MXN (600.00) is over the team's limit for one order within 24 hours: 50000 MXN (500.00) for everybody, set by lea
    refund a part of it: --amount 500.00 at most, or
    ask a lead; the limits of the team:
    paydesk sender limits

    20000 MXN (200.00) is over the team's limit for one order within 24 hours: 50000 MXN (500.00) for everybody, set by lea; 40000 (400.00) of this order went back in the last 24 hours
    refund a part of it: --amount 100.00 at most, or
    ask a lead; the limits of the team:
    paydesk sender limits

    60000 MXN (600.00) is over the team's limit for one order within 24 hours: 50000 MXN (500.00) for ana, set by lea; 50000 (500.00) of this order went back in the last 24 hours
    ask a lead; the limits of the team:
    paydesk sender limits

    60000 MXN (600.00) is over the team's limit for one order within 24 hours: set by a lead
    ask a lead; the limits of the team:
    paydesk sender limits

    60000 MXN (600.00) is over the team's limit for one person within 24 hours: 50000 MXN (500.00) for everybody, set by lea
    wait, let somebody else refund it, or
    ask a lead; the limits of the team:
    paydesk sender limits

    60000 MXN (600.00) is over the team's limit for one person within 24 hours: 50000 MXN (500.00) for everybody, set by lea; you refunded 1 (0.01) in the last 24 hours
    wait, let somebody else refund it, or
    ask a lead; the limits of the team:
    paydesk sender limits

    the team has limits, and none for USD
    ask a lead; the limits of the team:
    paydesk sender limits

    the team has limits, and the order does not show its currency
    ask a lead; the limits of the team:
    paydesk sender limits

    the team wants a reason with every refund in MXN (set by lea)
    add it to the command: --reason R

    the team wants a note with every refund in MXN (set by a lead)
    add it to the command: --note TEXT

    nobody else has approved 60000 MXN (600.00): from 50000 MXN (500.00) up a second person must approve (set by lea)
    run the command again: it asks for the approval

    nobody else has approved 60000 MXN (600.00): from 50000 MXN (500.00) up a second person must approve (set by lea); 20000 (200.00) of this order went back in the last 24 hours
    run the command again: it asks for the approval

    nobody else has approved 60000 MXN (600.00): from 0 MXN (0.00) up a second person must approve (set by lea)
    run the command again: it asks for the approval

    nobody else has approved 60000 MXN (600.00)
    run the command again: it asks for the approval
    "
  `);
});

it('says why an approval does not count', () => {
  const whys = [
    'unknown',
    'of somebody else',
    'for something else',
    'asked',
    'rejected',
    'used',
    'expired',
    'odd',
  ];
  const refusals = whys.map((why) => approvalRefusal('r_1', { why, usedBy: why === 'used' ? 'i_9' : null }));
  expect(refusals.map(linesOf).join('\n')).toMatchInlineSnapshot(`
    "the approval r_1 does not count: it is not in the journal of this team
    paydesk approvals list

    the approval r_1 does not count: it was given to somebody else
    paydesk approvals show r_1
    to ask again, run the refund without --approved

    the approval r_1 does not count: it was given for another refund
    paydesk approvals show r_1
    to ask again, run the refund without --approved

    the approval r_1 does not count: it was not given yet
    paydesk approvals show r_1
    wait until somebody else has approved it

    the approval r_1 does not count: it was not given: somebody rejected it
    paydesk approvals show r_1
    to ask again, run the refund without --approved

    the approval r_1 does not count: it was used already
    paydesk journal show i_9
    to ask again, run the refund without --approved

    the approval r_1 does not count: it has expired
    paydesk approvals show r_1
    to ask again, run the refund without --approved

    the approval r_1 does not count: it is odd
    paydesk approvals show r_1
    to ask again, run the refund without --approved
    "
  `);
});

it('a member without a limit of this kind has none', () => {
  expect(teamLimitWords({ ...limit, member: 'ben', value: 'none' }, style)).toBe('none for ben, set by lea');
});
