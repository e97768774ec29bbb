/** The errors when the limits of a team forbid a refund, or when an approval does not count for it. Pure. */

import { type AmountStyle, amountWords, figureWords, plainAmounts, typedForm } from '../../amounts.ts';
import { CliError } from '../../errors.ts';
import type { LimitFinding, TeamLimit } from '../team-rules.ts';

/** The error when a limit of the team refuses a refund. It keeps the finding, to be said again with the amounts of a profile. */
export class LimitRefusal extends CliError {
  readonly finding: LimitFinding;

  constructor(finding: LimitFinding, style: AmountStyle = plainAmounts) {
    const { message, now } = wordsOf(finding, style);
    const ownCode = `team_limit_${finding.problem ?? 'second'}` as const;
    super('refused', message, { certain: 'nothing was sent', now, ownCode, roomAt: finding.roomAt });
    this.finding = finding;
  }
}

/** Why an approval does not count, as the server says it. */
interface ApprovalProblem {
  readonly why: string;
  readonly usedBy?: string | null | undefined;
}

/** The error when an approval does not count. `id`: of its request. */
export function approvalRefusal(id: string, { why, usedBy }: ApprovalProblem): CliError {
  const show = why === 'unknown' ? [] : [`paydesk approvals show ${id}`];
  const used = usedBy === undefined || usedBy === null ? show : [`paydesk journal show ${usedBy}`];
  const words = problems[why] ?? { is: `is ${why}`, now: again };
  return new CliError('refused', `the approval ${id} does not count: it ${words.is}`, {
    certain: 'nothing was sent',
    ownCode: 'approval_invalid',
    now: [...(why === 'used' ? used : show), words.now],
  });
}

const again = 'to ask again, run the refund without --approved';
const problems: Readonly<Record<string, { readonly is: string; readonly now: string }>> = {
  unknown: { is: 'is not in the journal of this team', now: 'paydesk approvals list' },
  'of somebody else': { is: 'was given to somebody else', now: again },
  'for something else': { is: 'was given for another refund', now: again },
  asked: { is: 'was not given yet', now: 'wait until somebody else has approved it' },
  rejected: { is: 'was not given: somebody rejected it', now: again },
  used: { is: 'was used already', now: again },
  expired: { is: 'has expired', now: again },
};

/** `500 MXN for ana, set by lea`, or `… for everybody, …`. */
export function teamLimitWords({ member, value, currency, setBy }: TeamLimit, style: AmountStyle): string {
  const sum = value === 'none' ? 'none' : amountWords(value, currency, style);
  return `${sum}${member === '*' ? ' for everybody' : ` for ${member}`}, set by ${setBy}`;
}

/** `from 500 MXN up a second person must approve (set by lea)`. */
export function secondWords({ value, currency, setBy }: TeamLimit, style: AmountStyle): string {
  return `from ${amountWords(value === 'none' ? 0 : value, currency, style)} up a second person must approve (set by ${setBy})`;
}

/** `; 300 of this order went back in the last 24 hours`, to follow what is said about a refund. Empty if nothing did. */
export function wentBackWords(
  { ofOrder, currency }: Pick<LimitFinding, 'ofOrder' | 'currency'>,
  style: AmountStyle,
): string {
  if (ofOrder === 0) return '';
  return `; ${figureWords(ofOrder, currency, style)} of this order went back in the last 24 hours`;
}

const askLead = ['ask a lead; the limits of the team:', 'paydesk sender limits'];

function wordsOf(finding: LimitFinding, style: AmountStyle): { message: string; now: readonly string[] } {
  const { problem, limit, amount, besides = 0, currency, ofOrder, ofMember } = finding;
  const more =
    besides === 0
      ? ''
      : `, with up to ${figureWords(besides, currency, style)} of charges that are not paid,`;
  const sum = `${amountWords(amount, currency, style)}${more}`;
  const set = limit === undefined ? 'set by a lead' : teamLimitWords(limit, style);
  switch (problem) {
    case 'currency':
      return {
        message: currency === '' ? noCurrency : `the team has limits, and none for ${currency}`,
        now: askLead,
      };
    case 'max': {
      const left = limit === undefined || limit.value === 'none' ? 0 : limit.value - ofOrder;
      return {
        message: `${sum} is over the team's limit for one order within 24 hours: ${set}${wentBackWords(finding, style)}`,
        now: [
          ...(left > 0
            ? [`refund a part of it: --amount ${typedForm(left, currency, style)} at most, or`]
            : []),
          ...askLead,
        ],
      };
    }
    case 'day':
      return {
        message: `${sum} is over the team's limit for one person within 24 hours: ${set}${ofMember === 0 ? '' : `; you refunded ${figureWords(ofMember, currency, style)} in the last 24 hours`}`,
        now: ['wait, let somebody else refund it, or', ...askLead],
      };
    case 'age':
      return {
        message: `the order is older than the team's limit, or does not show when it was created: ${ageWords(limit)}`,
        now: askLead,
      };
    case 'reason':
    case 'note':
      return {
        message: `the team wants a ${problem} with every refund in ${currency} (set by ${limit?.setBy ?? 'a lead'})`,
        now: [`add it to the command: --${problem} ${problem === 'note' ? 'TEXT' : 'R'}`],
      };
    default:
      return {
        message: `nobody else has approved ${sum}${limit === undefined ? '' : `: ${secondWords(limit, style)}`}${wentBackWords(finding, style)}`,
        now: ['run the command again: it asks for the approval'],
      };
  }
}

// `90 days for everybody, set by lea`
function ageWords(limit: TeamLimit | undefined): string {
  if (limit === undefined) return 'set by a lead';
  const { value, member, setBy } = limit;
  return `${limitValue('age', String(value))}${member === '*' ? ' for everybody' : ` for ${member}`}, set by ${setBy}`;
}

const noCurrency = 'the team has limits, and the order does not show its currency';

/** The value of a limit in words: an age is in days, a reason and a note are needed or not. `inWords` writes the amounts of its currency. */
export function limitValue(
  limit: string,
  value: string | null,
  inWords: (amount: number) => string = String,
): string {
  if (value === null) return 'not set';
  if (value === 'none') return value;
  if (limit === 'age') return `${value} days`;
  return limit === 'reason' || limit === 'note' ? (value === '1' ? 'yes' : value) : inWords(Number(value));
}
