/** What the refunds of an export and the fees of its charges add up to, over all its pages and runs. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import { isObject, textIn } from '../../api/json-values.ts';
import { counted } from '../../counted.ts';
import type { ExportRow } from '../../exports/exports.ts';
import {
  createTally,
  type Figure,
  groupOf,
  magnitude,
  meaningIn,
  plus,
  type RefundGroup,
  sumRefunds,
  wholeNumber,
} from '../../reports/reports.ts';

/** What the refunds of all pages add up to. A resumed export goes on from what the checkpoint has. */
export function createSums(stored: unknown) {
  const tally = createTally(['refunds', 'amount', 'unsummed']);
  const add = ({ currency, meaning, ...figures }: RefundGroup): void => tally.add(meaning, currency, figures);
  const groups = (): readonly RefundGroup[] =>
    tally
      .lines('amount')
      .map(({ bucket, currency, sums }) => ({ currency, meaning: meaningIn(bucket), ...sums }));
  for (const one of Array.isArray(stored) ? stored : [])
    if (isObject(one))
      add({
        currency: textIn(one.currency),
        meaning: meaningIn(one.meaning),
        refunds: Number(one.refunds),
        amount: wholeNumber(BigInt(String(one.amount))) ?? 0,
        unsummed: Number(one.unsummed),
      });
  return {
    add({ state, currency, amount: shown }: ExportRow): void {
      const amount = wholeNumber(shown);
      const meaning = meaningIn(state);
      add(groupOf({ currency, meaning, amount: amount === undefined ? undefined : magnitude(amount) }));
    },
    lines: () => sumRefunds(groups()),
    // A large sum is a bigint, which JSON does not have.
    stored: () => groups().map((group) => ({ ...group, amount: String(group.amount) })),
  };
}

/** The fees of charges, by their currencies, and how many charges show one. A resumed export goes on from what the checkpoint has. */
export function createFees(stored: unknown) {
  const before = isObject(stored) ? stored : {};
  const fees = new Map<string, Figure>();
  let charges = Number(before.charges ?? 0);
  let known = Number(before.known ?? 0);
  const add = (currency: string, fee: Figure): void => {
    fees.set(currency, plus(fees.get(currency) ?? 0, fee));
  };
  for (const [currency, sum] of Object.entries(isObject(before.sums) ? before.sums : {}))
    add(currency, wholeNumber(BigInt(String(sum))) ?? 0);
  return {
    add({ currency = '', fee: shown }: ExportRow): void {
      const fee = wholeNumber(shown);
      charges += 1;
      if (fee === undefined) return;
      known += 1;
      add(currency, fee);
    },
    lines(style: AmountStyle): readonly string[] {
      const sums = [...fees].map(([currency, sum]) => amountWords(sum, currency || undefined, style));
      const shown = `${known} of ${counted(charges, 'charge')} ${known === 1 ? 'shows' : 'show'} one`;
      return sums.length === 0 ? [] : [`fees: ${sums.join(' and ')}; ${shown}`];
    },
    stored: () => ({
      charges,
      known,
      sums: Object.fromEntries([...fees].map(([currency, sum]) => [currency, String(sum)])),
    }),
  };
}
