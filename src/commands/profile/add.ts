/**
 * `profile add`: adds an account, from questions or flags, after its key was tried with one read, or its invitation was exchanged
 * for a token.
 */

import type { JsonObject } from '../../api/json-values.ts';
import { authSchemes, defaultAuth, modes, vendorPattern } from '../../api/spec.ts';
import { type Context, refuseAgentTo } from '../../context/context.ts';
import { CliError } from '../../errors.ts';
import { flag, type Input, usage } from '../../flags/flags.ts';
import {
  commandLine,
  flagWords,
  type ProfileDraft,
  plainCommand,
  type TypedKey,
} from '../../profiles/profiles.ts';
import { readInvitation } from '../../sender/sender.ts';
import { defineCommand } from '../command.ts';
import {
  confirmDoubts,
  fieldsView,
  isScripted,
  keyFlags,
  nameArgument,
  profileDryRunShown,
  readNewKey,
  refuseWiderView,
  takePlace,
} from './profile-inputs.ts';
import { limitsInWords, limitsOf, setLimits } from './set-limits.ts';
import { confirmHost, tryNewKey } from './try-key.ts';

const leadSize = 100_000;

const flags = {
  'base-url': flag.text('URL', 'address of the service, https'),
  mode: flag.choice(modes, 'MODE', 'what the key is for; paydesk compares it with what the service answers'),
  vendor: flag.of<string>({
    value: 'NAME',
    summary: 'vendor segment of the Accept header',
    defaultText: 'service',
    parse: (text, name) => {
      if (vendorPattern.test(text)) return text;
      throw new CliError('usage', `${name} ${text}: not a vendor segment such as service`, {
        certain: 'nothing was changed',
      });
    },
  }),
  auth: flag.choice(authSchemes, 'SCHEME', 'how the key is sent', { defaultText: defaultAuth }),
  ...keyFlags,
  from: flag.text('FILE', 'use a settings file from your lead (JSON); the key is not in it', {
    conflicts: ['base-url', 'mode', 'vendor', 'auth'],
  }),
  sender: flag.text('FILE', 'join a sender with an invitation; - reads it from standard input', {
    conflicts: ['base-url', 'mode', 'vendor', 'auth', 'from', 'key-stdin', 'key-file', 'no-check', 'confirm'],
  }),
  desk: flag.text('NAME', 'with --sender: name of this desk', { defaultText: 'that of the machine' }),
  confirm: flag.text('HOST', 'the host as xn--…, to confirm a host with letters beyond ASCII'),
  'no-check': flag.switch('keep the key without trying it first'),
  default: flag.switch('use it from now on when no -p is given'),
} as const;

type Values = Input<[], typeof flags>['flags'];

export const add = defineCommand({
  description:
    'Asks for everything that no flag gives, and tries the key with one read before it keeps it. The key is never an argument: you type it, or paydesk reads it with --key-stdin or --key-file. With --sender there is no key: this desk joins the sender of its team with an invitation.',
  arguments: [{ ...nameArgument(true), offers: undefined }],
  flags,
  examples: [
    'paydesk profile add test-mx',
    'paydesk profile add test-mx --base-url https://api.example.com --mode sandbox --key-stdin --key-store file < key.txt',
  ],
  run: async (ctx, { args: [name], flags: values }): Promise<undefined> => {
    await ctx.profiles.checkFree(name);
    const { sender } = values;
    if (sender !== undefined) return await addWithSender(ctx, name, { ...values, sender });
    if (values.desk !== undefined) throw usage('--desk belongs to --sender');
    ctx.useProfile(name);
    const draft = { name, ...(await gather(ctx, values)) };
    if (draft.mode === 'production') refuseAgentTo(ctx, 'adds a profile of production');
    refuseWiderView(ctx, { ...draft.settings, ...draft.limits });
    const scripted = isScripted(ctx, values);
    await confirmDoubts(ctx, { ...draft.settings, ...draft.limits });
    if (ctx.options.dryRun) await ctx.profiles.checkDraft(draft);
    if (await profileDryRunShown(ctx, `add profile ${name}`, { ...recordOf(draft), ...settingsTaken(draft) }))
      return;
    await confirmHost(ctx, draft.baseUrl, values.confirm);
    const key = await readNewKey(ctx, values, name, commandAgain(name, draft, values));
    const tries = values['no-check'] !== true;
    const seen = tries ? await tryNewKey(ctx, draft, key, { asks: !scripted }) : undefined;
    const isDefault = values.default === true || (!scripted && (await offerDefault(ctx, name)));
    // All questions come before anything is stored, so Ctrl-C leaves nothing behind.
    const limits = await setFromLead(ctx, draft, key);
    const { profile, keptIn } = await ctx.profiles.add(draft, key);
    if (isDefault) await ctx.profiles.use(name);
    const record = {
      ...recordOf(profile),
      ...settingsTaken(draft),
      key_in: keptIn,
      key_tried: seen !== undefined,
      newest_order: seen?.order?.id ?? null,
      default: isDefault,
    };
    await ctx.out.own(record, () => fieldsView(`added profile ${name}`, record));
    if (limits !== undefined) ctx.notes.note(limits);
    ctx.notes.note(`next: paydesk profile check ${name}`);
    // Building an index can take long, and shows what the index keeps before it asks. So it is only suggested here.
    if (!scripted)
      ctx.notes.note(
        `an index finds any order at once and answers reports. It keeps names, cards and amounts of all orders on this machine, encrypted, and asks first: ${commandLine(profile, 'index', 'build')}`,
      );
  },
});

// The settings from a lead's file, shown so that nobody has to look them up.
function settingsTaken({ settings, limits }: Pick<ProfileDraft, 'settings' | 'limits'>): JsonObject {
  const taken = { ...settings, ...limits };
  return Object.keys(taken).length === 0 ? {} : { settings: taken };
}

// Sets the limits of the lead's file before the profile exists. Returns the limits that the account then has, in words.
async function setFromLead(ctx: Context, draft: ProfileDraft, key: TypedKey): Promise<string | undefined> {
  const { profile, keyFingerprint } = await ctx.draftService(draft, key);
  const of = { ...profile, keyFingerprint };
  const { limits = {} } = draft;
  if (Object.keys(limits).length > 0) await setLimits(ctx, of, limits);
  const held = await limitsOf(ctx, of);
  return held.length === 0 ? undefined : `limits of this account: ${limitsInWords(held)}`;
}

function recordOf(profile: Omit<ProfileDraft, 'settings' | 'limits'>): JsonObject {
  return {
    object: 'profile',
    name: profile.name,
    mode: profile.mode,
    base_url: profile.baseUrl,
    vendor: profile.vendor ?? null,
    api_version: profile.apiVersion ?? null,
    lang: profile.lang ?? null,
    auth: profile.auth ?? null,
  };
}

function commandAgain(
  name: string,
  { baseUrl, mode, vendor, auth }: Omit<ProfileDraft, 'name'>,
  { from }: Values,
): string {
  const typed = from === undefined ? { 'base-url': baseUrl, mode, vendor, auth } : { from };
  return plainCommand('profile', 'add', name, ...flagWords(typed));
}

async function gather(ctx: Context, values: Values): Promise<Omit<ProfileDraft, 'name'>> {
  const { apiVersion, lang } = ctx.profiles.given;
  if (values.from !== undefined) {
    if (values.from === '-' && values['key-stdin'] === true) {
      throw new CliError('usage', '--from - and --key-stdin both read standard input', {
        certain: 'nothing was changed',
      });
    }
    const lead = ctx.profiles.readLead(await ctx.file(values.from, leadSize), `--from ${values.from}`);
    return { ...lead, apiVersion: apiVersion ?? lead.apiVersion, lang: lang ?? lead.lang };
  }
  const baseUrl = values['base-url'] ?? (await askBaseUrl(ctx));
  const mode = values.mode ?? (await askMode(ctx));
  return { baseUrl, mode, vendor: values.vendor, apiVersion, lang, auth: values.auth };
}

function askBaseUrl(ctx: Context): Promise<string> {
  return ctx.ask.text({
    message: 'address of the service (https://…)',
    flag: '--base-url',
    check: ctx.profiles.problem.baseUrl,
  });
}

function askMode(ctx: Context): Promise<ProfileDraft['mode']> {
  return ctx.ask.choose<ProfileDraft['mode']>({
    message: 'the key is for',
    flag: '--mode',
    choices: [
      { value: 'sandbox', label: 'sandbox', detail: 'practice, no money moves' },
      { value: 'production', label: 'production', detail: 'real money' },
    ],
  });
}

function offerDefault(ctx: Context, name: string): Promise<boolean> {
  return ctx.ask.confirm({ message: `use ${name} whenever no -p is given?`, flag: '--default' });
}

const invitationSize = 4096;

// Joins the sender of a team with an invitation, and stores the profile. The token is kept like a key.
async function addWithSender(
  ctx: Context,
  name: string,
  typed: Values & { readonly sender: string },
): Promise<undefined> {
  refuseAgentTo(ctx, 'joins the sender of a team');
  const { sender: file, desk } = typed;
  if (desk !== undefined && !/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u.test(desk))
    throw usage(`--desk ${desk}: take letters, digits and . _ -`);
  const where = file === '-' ? 'standard input' : file;
  const invitation = readInvitation(await ctx.file(file, invitationSize), where);
  refuseOver(ctx, invitation.until);
  const { sender, account, member, role } = invitation;
  const planned = { object: 'profile', name, sender, sender_account: account, member, role };
  if (await profileDryRunShown(ctx, `join as a desk of ${member}`, planned)) return;
  // Everything that could go wrong here comes before the invitation is used up.
  const place = await takePlace(ctx, typed, `paydesk profile add ${name} --sender ${file}`);
  const joined = await (await ctx.sender()).join(invitation, desk);
  const { profile, keptIn } = await ctx.profiles.add(
    { name, ...joined.draft },
    { text: joined.token, where: 'the token of the sender', place },
  );
  if (typed.default === true) await ctx.profiles.use(name);
  const record = {
    ...planned,
    role: profile.sender?.role ?? null,
    desk: profile.sender?.desk ?? null,
    mode: profile.mode,
    origin: profile.origin,
    vendor: profile.vendor,
    key_in: keptIn,
    default: typed.default === true,
  };
  await ctx.out.own(record, () => fieldsView(`added profile ${name}: ${sender} sends for it`, record));
  ctx.notes.note(`next: paydesk profile check ${name}`);
}

function refuseOver(ctx: Context, until: number): void {
  if (until > ctx.clock.now()) return;
  throw new CliError('auth', `this invitation could be used until ${ctx.days.full(until)}`, {
    certain: 'nothing was changed',
    now: ['ask your lead for a new one: paydesk sender invite NAME --role ROLE'],
  });
}
