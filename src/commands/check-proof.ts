/** `prove --check`: checks a file of evidence, and says what it proves. */

import type { Context } from '../context/context.ts';
import { refused } from '../errors.ts';
import { usage } from '../flags/flags.ts';
import { loadProofs } from '../journal/journal.ts';
import { plainCommand } from '../profiles/profiles.ts';
import { aboutWords, lostLines, provedShort, refundsWords, shortView } from './proof-lines.ts';
import { writePage } from './proof-page.ts';

const largestFile = 2 ** 28;

/** Checks a file that `prove` wrote, and says what it proves. Throws CliError 'refused' if it was changed, or if another key signed it. */
export async function checkFile(
  ctx: Context,
  file: string,
  signedBy: string | undefined,
  page: string | undefined,
): Promise<undefined> {
  const text = await ctx.file(file, largestFile).catch(async (error) => {
    await refuseExport(ctx, file);
    throw error;
  });
  const key = await ctx.deskKey();
  const expected = signedBy ?? key.publicKey();
  if (expected === undefined)
    throw usage('say whose signature it must be: this desk has no key', [
      plainCommand('prove', '--check', file, '--signed-by', 'KEY'),
    ]);
  const { checkProof } = await loadProofs();
  const checked = checkProof(text, (bytes, signature) => key.isSigned(expected, bytes, signature));
  if (typeof checked === 'string') {
    await refuseExport(ctx, file);
    throw refused(
      `${file}: ${checked}`,
      [
        ...(signedBy === undefined
          ? ['if another desk wrote it, add --signed-by with its key (desk_key of its profile show)']
          : []),
        'ask whoever gave it to you for another copy',
      ],
      { certain: 'do not rely on it' },
    );
  }
  const { refunds, about } = checked;
  const proved = refunds.map(provedShort);
  const record = {
    object: 'proof_check',
    file,
    ok: true,
    refunds: refunds.length,
    signed_by: expected,
    account: about.account ?? null,
    about: about.about ?? null,
    sums: about.sums ?? [],
    lost_records: about.lost_records ?? [],
    made_at: about.made_at ?? null,
    proved,
  };
  await ctx.out.own(record, () => [
    ...proved.flatMap(shortView),
    { line: aboutWords(about) },
    ...lostLines(about),
    {
      line: `${file}: ${refundsWords(about)}, as signed by ${signedBy === undefined ? 'this desk' : expected}`,
    },
  ]);
  await writePage(ctx, page, { file, text, about, refunds }, { days: ctx.days, force: false });
}

// Somebody who has a good file of another kind must not be told that paydesk did not write it.
async function refuseExport({ exports }: Context, file: string): Promise<void> {
  const { rows, problem } = await exports.verify(file, { maxAgeMs: undefined, signedBy: undefined });
  const what = rows === undefined ? problem?.asWritten : 'export';
  if (what !== undefined)
    throw usage(
      `${file}: this is ${what === 'report' ? 'a report' : 'an export'}, and prove did not write it`,
      [plainCommand('orders', 'export', '--verify', file)],
    );
}
