/** Which limits are of money, and of which currency. */

/** The limits of money, without their currency. */
export const moneyLimits = ['refund.max_amount', 'plan.max_total'] as const;

// The limits of money that the sender of a team keeps, by their names in `profile show`.
const teamMoney = ['team.max', 'team.day', 'team.second'];

/** The currency of a limit of money; undefined for any other setting. */
export function currencyOfLimit(setting: string): string | undefined {
  const limit = [...moneyLimits, ...teamMoney].find((one) => setting.startsWith(`${one}.`));
  const currency = limit === undefined ? '' : setting.slice(limit.length + 1);
  return /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : undefined;
}
