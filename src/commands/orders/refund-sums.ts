/** What the refunds of an export, or its charges and their fees, add up to, over all its pages and runs. */

import { type AmountStyle, amountWords } from '../../amounts.ts';
import { isObject, textIn } from '../../api/json-values.ts';
import { tookMoney, wentBackOfCharge } from '../../api/payment.ts';
import { counted } from '../../counted.ts';
import type { ExportRow } from '../../exports/exports.ts';
import {
  createTally,
  groupOf,
  magnitude,
  meaningIn,
  negated,
  plus,
  type RefundGroup,
  sumOf,
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

const chargeSums = ['charges', 'shows', 'fee', 'paid', 'back'] as const;

/**
 * What charges add up to in each currency: how many show a fee, the fees, what was paid, and what went back of it. A resumed export goes
 * on from what the checkpoint has.
 */
export function createChargeSums(stored: unknown) {
  const tally = createTally(chargeSums);
  for (const one of Array.isArray(stored) ? stored : [])
    if (isObject(one)) {
      const sums = chargeSums.map((name) => [name, wholeNumber(BigInt(String(one[name]))) ?? 0]);
      tally.add('', textIn(one.currency), Object.fromEntries(sums));
    }
  return {
    add({ currency, fee: shown, record: { value } }: ExportRow): void {
      const fee = wholeNumber(shown);
      const isPaid = tookMoney(value);
      tally.add('', currency, {
        charges: 1,
        shows: fee === undefined ? 0 : 1,
        fee: fee ?? 0,
        paid: (isPaid ? wholeNumber(value.amount) : undefined) ?? 0,
        back: isPaid ? (wholeNumber(wentBackOfCharge(value)) ?? 0) : 0,
      });
    },
    lines(style: AmountStyle): readonly string[] {
      const all = tally.lines('paid');
      const [charges, shows] = (['charges', 'shows'] as const).map((name) =>
        Number(sumOf(all, ({ sums }) => sums[name])),
      );
      const fees = all
        .filter(({ sums }) => sums.shows > 0)
        .map(({ currency, sums }) => amountWords(sums.fee, currency, style));
      return [
        ...all.flatMap(({ currency, sums: { paid, back, fee, shows } }) => {
          const [one, other, rest] = [paid, back, plus(paid, negated(plus(back, fee)))].map((figure) =>
            amountWords(figure, currency, style),
          );
          const less = shows > 0 ? `; less that and the fees: ${rest}` : '';
          return paid > 0 ? [`paid: ${one}, of which ${other} went back so far${less}`] : [];
        }),
        ...(fees.length === 0
          ? []
          : [
              `fees: ${fees.join(' and ')}; ${shows} of ${counted(charges ?? 0, 'charge')} ${shows === 1 ? 'shows' : 'show'} one`,
            ]),
      ];
    },
    stored: () =>
      tally.lines('paid').map(({ currency, sums }) => ({
        currency,
        ...Object.fromEntries(chargeSums.map((name) => [name, String(sums[name])])),
      })),
  };
}
