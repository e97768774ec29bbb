/** The flag for an amount as people type it, and the errors for a comma or for decimals that the profile does not declare. Pure. */

import { type AmountStyle, declaresPlaces, examplesOf, placesWords } from '../amounts.ts';
import { blankOrQuote, withoutAround } from '../api/resources.ts';
import type { Profile } from '../profiles/profiles.ts';
import {
  amountMistake,
  decimalsOrThousands,
  fullDecimals,
  readAmount,
  type TypedAmount,
  wholeNumberWords,
} from '../typed-amounts.ts';
import { short, usage } from './flags.ts';

/** An amount in any spelling that people use: `23000`, `23 000 MXN`, `230.00`. */
export function amountFlag(summary: string) {
  return { value: 'N', summary, parse: amountIn };
}

function amountIn(text: string, name: string): TypedAmount {
  const typed = readAmount(text);
  if (typed !== undefined) return typed;
  const meant = withoutMarks(text);
  const without = readAmount(meant);
  // What the comma means is known only once the profile is.
  if (without !== undefined && text.includes(',')) return { ...without, withComma: text.trim() };
  const mistake = amountMistake(text.trim(), `leave ${name} out for all of it`);
  throw usage(
    `${name} ${short(text)}: ${(without === undefined ? mistake : undefined) ?? 'not an amount, which is a number above 0, without commas'}`,
    without === undefined ? [] : [`type ${meant}`],
  );
}

/** What a profile says about decimals, with its kind and name. */
export type DecimalsOf = Pick<Profile, 'kind' | 'name'> & { readonly settings: AmountStyle };

/** Refuses an amount with a comma, or with decimals that the profile declares for no currency. Throws CliError 'usage'. */
export function checkDecimals(name: string, typed: TypedAmount, profile: DecimalsOf): void {
  const { text: plain, places, withComma } = typed;
  const isDeclared = places === undefined || declaresPlaces(places, profile.settings);
  if (isDeclared && withComma === undefined) return;
  const text = withComma ?? plain;
  const full = fullDecimals(typed, profile.settings);
  const ways = decimalsOrThousands(typed, Object.values(profile.settings['amounts.decimals']));
  if (ways.length > 0)
    throw usage(`${name} ${text} can be read in two ways`, [
      `type ${[...new Set([...ways, ...full])].join(' or ')}`,
    ]);
  const declared = isDeclared ? 'an amount has no commas' : placesWords(profile.settings);
  // The number with its decimals simply cut off is never suggested: where the unit is a hundredth, that is another amount.
  throw usage(
    `${name} ${text}: ${declared ?? `profile ${profile.name} declares no decimals`}`,
    full.length > 0
      ? [`type ${full.join(' or ')}`]
      : declared === undefined
        ? [
            wholeNumberWords(text),
            "ask your lead what one unit of an amount is, or look at an order's amount",
            // The built-in profiles have no settings that can be changed.
            profile.kind === 'stored'
              ? `a lead can declare decimals: paydesk profile set ${profile.name} amounts.decimals.CUR N`
              : 'a profile of your own can declare decimals: paydesk profile add NAME',
          ]
        : [`type an amount such as ${examplesOf(profile.settings).join(' or ')}`],
  );
}

// Leaves out the commas between thousands, and turns the comma of `1,50` into a point. `1,50` may also be mistyped thousands, so
// the result is only suggested, never taken.
function withoutMarks(text: string): string {
  const tidy = withoutAround(text, blankOrQuote);
  const figures = tidy.replace(/[ \u00a0\u202f]?[A-Za-z]{3}$/, '');
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(figures)) return tidy.replaceAll(',', '');
  return /^(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}$/.test(figures)
    ? tidy.replaceAll('.', '').replace(',', '.')
    : tidy;
}
