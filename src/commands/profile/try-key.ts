/** What comes before `profile add` keeps a new key: a look at the host that it goes to, and one read with it. */

import { amountWords } from '../../amounts.ts';
import type { JsonObject } from '../../api/json-values.ts';
import { contradictsMode, modeOfOrder } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused, withParts } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import {
  accountLabel,
  flagWords,
  type Profile,
  type ProfileDraft,
  type TypedKey,
  wrongMode,
} from '../../profiles/profiles.ts';
import type { Cell } from '../../terminal/terminal.ts';

const notKept = 'nothing was kept, nothing was changed';

/**
 * A host with letters beyond ASCII may only look like another one, so a person sees it in both forms and is asked. A script
 * needs `--confirm HOST`. Throws CliError 'refused' without it, 'cancelled' on No, 'usage' when it names another host.
 */
export async function confirmHost(
  ctx: Context,
  baseUrl: string,
  confirmed: string | undefined,
): Promise<void> {
  const host = ctx.profiles.hostOf(baseUrl);
  // A wrong base URL is refused later, when the profile is stored.
  if (host === undefined) return;
  if (confirmed !== undefined && confirmed !== host.ascii)
    throw usage(`--confirm ${confirmed}: the host of the base URL is ${host.ascii}`);
  if (host.unicode === undefined || confirmed !== undefined) return;
  const both = `${host.ascii} reads ${host.unicode}`;
  if (!ctx.ask.interactive) {
    throw refused(
      `the host ${both}: its letters may look like those of another host`,
      [`if that is the right host, add --confirm ${host.ascii}`],
      { certain: 'nothing was kept and nothing was sent' },
    );
  }
  ctx.notes.warn(`the host ${both}: its letters may look like those of another host`);
  const meant = await ctx.ask.confirm({ message: `send the key to ${host.ascii}?`, flag: '--confirm' });
  if (!meant) throw new CliError('cancelled', 'nothing was kept and nothing was sent');
}

/** What the new key reads. Undefined if the person chose to keep the key without trying it. */
interface SeenAccount {
  /** The newest order; undefined if the account has none. */
  readonly order: JsonObject | undefined;
}

/**
 * Reads the newest order with the new key, and says which account that is. A person may decline, and is then asked whether
 * it is the right account. Throws CliError when the key does not work, belongs to the other mode, or belongs to the wrong account.
 */
export async function tryNewKey(
  ctx: Context,
  draft: ProfileDraft,
  key: TypedKey,
  { asks }: { readonly asks: boolean },
): Promise<SeenAccount | undefined> {
  if (asks && !(await wantsTry(ctx))) return undefined;
  const { profile, order } = await readNewest(ctx, draft, key);
  if (order !== undefined && contradictsMode(order, profile.mode)) {
    const other = profile.mode === 'production' ? 'sandbox' : 'production';
    throw wrongMode(profile, order, {
      certain: notKept,
      now: [
        `paydesk profile add ${draft.name} ${typedWords(draft)} --mode ${other}`,
        `or run it again with the ${profile.mode} key`,
      ],
    });
  }
  const line = seenLine(profile, order);
  if (asks) ctx.notes.warn(line);
  else ctx.notes.note(line);
  if (asks && !(await ctx.ask.confirm({ message: 'is this the right account?', flag: '--no-check' })))
    throw new CliError('cancelled', notKept);
  return { order };
}

// What was typed about the account, so that the printed command does not ask for it again.
function typedWords({ baseUrl, vendor, auth, apiVersion, lang }: ProfileDraft): string {
  return flagWords({ 'base-url': baseUrl, vendor, auth, 'api-version': apiVersion, lang }).join(' ');
}

function wantsTry(ctx: Context): Promise<boolean> {
  return ctx.ask.choose({
    message: 'try the key before it is kept?',
    flag: '--no-check',
    choices: [
      { value: true, label: 'yes', detail: 'it only reads the newest order' },
      { value: false, label: 'no', detail: 'keep it untried' },
    ],
  });
}

async function readNewest(ctx: Context, draft: ProfileDraft, key: TypedKey) {
  try {
    const service = await ctx.draftService(draft, key);
    for await (const { records } of service.pages('orders', { limit: 1 }))
      return { profile: service.profile, order: records[0]?.value };
    return { profile: service.profile, order: undefined };
  } catch (error) {
    // A wrong key in the arguments, or Ctrl-C, says enough by itself.
    if (!(error instanceof CliError) || !['auth', 'network', 'reply', 'rejected'].includes(error.kind))
      throw error;
    throw withParts(error, {
      certain: notKept,
      now: [
        'check the address, the mode and the key, then run it again',
        'or keep the key without trying it: add --no-check',
      ],
    });
  }
}

// Shows the day and the amount of the newest order, because a colleague can recognise the account by them.
function seenLine(profile: Profile, order: JsonObject | undefined): Cell {
  const works = `the key works for ${accountLabel(profile)}`;
  if (order === undefined) return `${works}. The account has no orders yet, so nothing shows whose it is`;
  const mode = modeOfOrder(order) === undefined ? ' (the order does not show whether it is real money)' : '';
  return [
    `${works}. Its newest order${mode}: `,
    typeof order.id === 'string' ? order.id : 'no id shown',
    `, ${moneyOf(order, profile)}, `,
    { time: order.created_at, precision: 'full' },
  ];
}

function moneyOf({ amount, currency }: JsonObject, { settings }: Profile): string {
  if (typeof amount !== 'number' && typeof amount !== 'bigint') return 'no amount shown';
  return amountWords(amount, typeof currency === 'string' ? currency : undefined, settings);
}
