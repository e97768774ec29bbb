/** How long a page of a list is if nobody says so: as long as the terminal has lines, so that its heading stays in view. */

import type { WireRecord } from '../api/api.ts';
import type { Context } from '../context/context.ts';
import type { Cell } from '../terminal/terminal.ts';
import type { WalkedPage } from './walk.ts';

// Off a terminal, and on one that does not say how high it is.
const usual = 20;
const least = 10;
const most = 50;

/** How many records are asked for, and how many of those that came are shown. */
export interface PageLength {
  readonly asked: number;
  /** The page, shorter if what is said about its records leaves no room for all of them; `shown`: what stands above them. */
  fitted(page: WalkedPage, shown: readonly WireRecord[]): Promise<WalkedPage>;
}

/** `closing`: the lines under every page. `about`: those about the records that are shown. `isLast`: the end of a page counts. */
export async function pageLength(
  { out }: Pick<Context, 'out'>,
  {
    closing,
    about,
    isLast,
  }: {
    readonly closing: readonly Cell[];
    readonly about: (records: readonly WireRecord[]) => readonly Cell[];
    readonly isLast: boolean;
  },
): Promise<PageLength> {
  const room = async (under: readonly Cell[]): Promise<number | undefined> => {
    const lines = await out.roomForRows([...closing, ...under]);
    return lines === undefined ? undefined : Math.min(most, Math.max(least, lines));
  };
  const asked = await room([]);
  return {
    asked: asked ?? usual,
    async fitted(page, shown) {
      let { records } = page;
      for (;;) {
        const lines = await room(about([...shown, ...records]));
        if (lines === undefined || shown.length + records.length <= lines) break;
        records = isLast ? records.slice(1) : records.slice(0, -1);
      }
      return records.length === page.records.length
        ? page
        : { ...page, records, hasMore: true, saysHasMore: true };
    },
  };
}
