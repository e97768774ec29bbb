/** REASON and NOTE of `orders list`: why orders were refunded, as far as the journal of this machine knows. */

import type { WireRecord } from '../../api/api.ts';
import type { Column, JsonObject } from '../../api/spec.ts';
import { CliError } from '../../errors.ts';
import type { AttemptRecord } from '../../journal/journal.ts';
import type { Profile } from '../../profiles/profiles.ts';
import type { Context } from '../command.ts';

/** The columns, and the look into the journal that fills them. */
export interface ReasonColumns {
  readonly columns: readonly Column[];
  /** Looks up the refunded ones of these orders, before they are drawn. */
  readonly ready: (records: readonly WireRecord[]) => Promise<void>;
}

interface Why {
  readonly reason: string;
  readonly note: string;
}

// A terminal of fewer cells has no room for them.
const tableFrom = 120;
const names = ['reason', 'note'] as const;

/** Nothing was looked up yet. A journal that cannot be read is said once and hides nothing else. */
export function reasonColumns(ctx: Context, profile: Profile): ReasonColumns {
  const { columns = ctx.options.usualColumns } = ctx.options;
  const asked = columns?.some((name) => names.some((own) => own === name.trim()));
  const wanted = asked ?? ctx.out.format === 'table';
  let readable = wanted;
  let known = new Map<unknown, Why>();
  // One question a page.
  const look = async (records: readonly WireRecord[]): Promise<void> => {
    const ids = records
      .filter(isRefunded)
      .flatMap(({ value: { id } }) => (typeof id === 'string' ? [id] : []));
    if (ids.length === 0) return;
    const attempts = await ctx.journal.attempts({ origin: profile.origin, orderIds: new Set(ids) });
    const byOrder = Map.groupBy(attempts, ({ sent }) => sent.proof.orderId);
    for (const id of ids) known.set(id, whyOf(byOrder.get(id) ?? []));
  };
  return {
    columns: names.map((name) => ({
      name,
      title: name.toUpperCase(),
      kind: 'text',
      tableFrom,
      derived: true,
      value: ({ id }: JsonObject) => known.get(id)?.[name],
    })),
    async ready(records) {
      known = new Map();
      try {
        if (readable) await look(records);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        readable = false;
        ctx.notes.warn(`why orders were refunded is not shown: ${error.message}`);
      }
    },
  };
}

function isRefunded({ value: { amount_refunded: refunded } }: WireRecord): boolean {
  return typeof refunded === 'number' && refunded !== 0;
}

function whyOf(attempts: readonly AttemptRecord[]): Why {
  const applied = attempts.filter(({ verdicts }) => verdicts.at(-1)?.verdict === 'applied');
  const said = (texts: readonly (string | undefined)[]): string =>
    [...new Set(texts.filter((text) => text !== undefined))].join(', ');
  return {
    reason: said(applied.map(({ sent }) => sent.reason)),
    note: said(applied.map(({ sent }) => sent.note)),
  };
}
