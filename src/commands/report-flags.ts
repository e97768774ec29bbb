/** The flags of every report: which time, which currency, which zone, which charts, and where the facts come from. */

import { currencyPattern } from '../api/spec.ts';
import type { Input } from '../flags/flags.ts';
import { flag, usage } from '../flags/flags.ts';

export const charts = ['auto', 'none', 'bars', 'spark', 'calendar'] as const;
export type Chart = (typeof charts)[number];

/** What an exit code of every report means. */
export const sumsExits = {
  9: 'incomplete: an order hides its refunds, a refund has no date, or the output was lost',
} as const;

/** What people may say instead of `--by brand`. */
export const wordsForBrand = { card: 'brand', cards: 'brand', 'card-brand': 'brand' } as const;

/** How the sums are shown. */
export const chartFlag = flag.choice(charts, {
  value: 'CHART',
  summary: 'the chart beside the numbers of a table',
  meanings: {
    auto: 'bars, and a sparkline of the days',
    bars: 'a bar for each line',
    spark: 'one sign for each day',
    calendar: 'a line for each week',
  },
  defaultText: 'auto',
});

const liveWords = { summary: 'read every order from the service, also if this machine has an index of them' };

/** For a report that takes no file. */
export const liveFlag = flag.switch(liveWords);

/** Where the facts come from, and which of them count. */
export const sourceFlags = {
  currency: flag.of<string>({
    value: 'CUR',
    summary: 'only this currency, such as MXN',
    parse: (text, name) => {
      if (currencyPattern.test(text)) return text;
      throw usage(`${name} ${text}: not a currency of three letters, such as MXN`);
    },
  }),
  tz: flag.text({
    value: 'ZONE',
    summary: 'the time zone of the days, such as America/Mexico_City',
    defaultText: "the profile's time.zone, or this machine's",
  }),
  live: flag.switch({ ...liveWords, conflicts: ['from-file'] }),
  'from-file': flag.text({
    value: 'FILE',
    summary: 'take the numbers from an export instead, and send no request; its manifest is checked first',
    conflicts: ['max-rps'],
  }),
  'max-rps': flag.integer(1, 1000, { value: 'N', summary: 'at most this many requests per second' }),
} as const;

/** The values of these flags. */
export type SourceInput = Input<readonly [], typeof sourceFlags>['flags'];
