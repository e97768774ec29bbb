/** Creates an order or a payment link: takes the body from flags, a file or questions, checks it, and sends it once. */

import type { OpenService } from '../../api/api.ts';
import { idOf, isObject, type JsonObject, repeatedKey, valueAt } from '../../api/json-values.ts';
import type { BodyFault } from '../../api/request-bodies.ts';
import type { Column } from '../../api/resources.ts';
import type { Context } from '../../context/context.ts';
import { CliError, orElse } from '../../errors.ts';
import { usage } from '../../flags/flags.ts';
import { type ClockAndZone, clockAndZoneOf } from '../../flags/typed-time.ts';
import { changeOf, recordedState, sameJson, whoSent } from '../../journal/journal.ts';
import { agoWords, twinSeconds } from '../../orders/orders.ts';
import { commandLine, flagWords, type Profile } from '../../profiles/profiles.ts';
import type { Block } from '../../terminal/terminal.ts';
import type { TypedAmount } from '../../typed-amounts.ts';
import { byHandNotes } from '../by-hand-words.ts';
import { makeChange, warnByHand } from '../change.ts';
import { kindWords } from '../change-words.ts';
import { type Confirmation, checkProfileConfirmable } from '../confirm-change.ts';
import type { OrderAsked } from '../order-change.ts';
import type { Applied } from '../outcome.ts';
import { onlyGiven } from '../repeat.ts';
import { createSaleDialog, type SaleAsk, type SaleDialog } from './sale-ask.ts';
import { type Expiry, itemsIn, refusePast, type TypedItem, unitWarnings } from './sale-flags.ts';
import { type Asking, drawLink } from './sale-screens.ts';

export interface CreationFlags extends Pick<OrderAsked, 'confirm' | 'idempotencyKey' | 'again'> {
  /** `--body`: the file that holds the whole body. */
  readonly body: string | undefined;
  readonly qr: boolean;
  readonly noQr: boolean;
}

type CheckedBody<B> = { readonly body: B } | { readonly faults: readonly BodyFault[] };

/** What the flags and prompts of both have in common. */
interface Draft {
  readonly item?: readonly TypedItem[];
  readonly shipping?: readonly TypedAmount[];
  readonly currency?: string;
  readonly expires?: Expiry;
}

/** How an order or a payment link is created. `B` is the body that is sent, `D` the values from flags and prompts. */
interface Creation<B extends JsonObject, D> {
  readonly kind: 'order' | 'checkout';
  readonly command: string;
  /** What is created, as messages call it: `the order`. */
  readonly what: string;
  readonly check: (body: unknown) => CheckedBody<B>;
  readonly columns: readonly Column[];
  readonly essential: readonly string[];
  readonly askEssential: (ctx: Asking, given: D) => Promise<D>;
  readonly askMore: (ctx: Asking, given: D) => Promise<D>;
  readonly bodyOf: (given: D, clockAndZone: ClockAndZone, profile: Profile) => JsonObject;
  readonly path: (profile: Profile) => string;
  /** Takes the expiry (Unix seconds), the amount and the currency out of the body. */
  readonly read: (body: B) => {
    readonly expiry: number | undefined;
    readonly amount: number | undefined;
    readonly currency: string;
  };
  readonly preview: (body: B, profile: Profile) => readonly Block[];
  readonly result: (applied: Applied, body: B, profile: Profile) => readonly Block[];
  /** Says what in the reply differs from the preview; undefined if nothing does. */
  readonly difference?: (reply: JsonObject, body: B, profile: Profile) => string | undefined;
  /** The part of a reply that has the link. */
  readonly checkoutIn: (reply: JsonObject) => JsonObject;
}

/**
 * Creates an order or a payment link, from the typed flags to the printed result. Throws CliError for every outcome that is
 * not a plain success.
 */
export async function createOne<B extends JsonObject, D extends Draft>(
  ctx: Context,
  given: D,
  flags: CreationFlags,
  creation: Creation<B, D>,
): Promise<void> {
  const { kind, command, columns } = creation;
  const { body: file, confirm } = flags;
  ctx.out.checkColumns(columns);
  const service = await ctx.service({ purpose: 'change', kind });
  const { profile } = service;
  const missing = file === undefined ? missingFlags(given, creation.essential) : [];
  checkProfileConfirmable(ctx, { profile, confirm }, { command, missing, body: file });
  const dialog = createSaleDialog(ctx.ask, profile);
  const made = await dialog.run(() => makeAsked(ctx, service, given, { ...flags, dialog }, creation));
  if (made === undefined) return;
  const { applied, difference } = made;
  if (difference !== undefined) throw notAsAsked(profile, applied, difference);
  const { url = applied.link } = creation.checkoutIn(applied.record.value);
  await drawLink(ctx, { url }, flags);
}

// Asks for what the flags leave open, and makes it. Throws GoBack if the person goes back from the last question.
async function makeAsked<B extends JsonObject, D extends Draft>(
  ctx: Context,
  service: OpenService,
  given: D,
  { body: file, confirm, idempotencyKey, again, dialog }: CreationFlags & { readonly dialog: SaleDialog },
  creation: Creation<B, D>,
) {
  const { kind, command, columns } = creation;
  const { profile } = service;
  const how = { file, confirm, profile, ask: dialog.ask };
  const { body, asked, words, warnings } = await bodyToSend(ctx, creation, given, how);
  const repeats = flagWords({ 'idempotency-key': idempotencyKey, again });
  // What came in on standard input is gone.
  const later = file === '-' ? undefined : commandLine(profile, ...command.split(' '), ...words, ...repeats);
  let difference: string | undefined;
  const applied = await makeChange(
    ctx,
    service,
    { kind, idempotencyKey, asked, again },
    () => columns,
    async () => {
      const { expiry, amount, currency } = creation.read(body);
      refusePast(expiry, ctx.clock.now());
      const request = { method: 'POST', path: creation.path(profile), body } as const;
      const byHand = await byHandNotes(ctx, service, { kind, request, asked });
      const equal = await equalOnes(ctx, service, { kind, amount, currency, body });
      warnByHand(ctx, byHand);
      return {
        change: { request, amount, currency },
        checks: [...byHand, ...equal, ...warnings],
        urgent: equal,
        checkFresh: async () => undefined,
        preview: [
          ...creation.preview(body, profile),
          ...warnings.map((line): Block => ({ line: { text: `note: ${line}`, style: 'warn' }, hang: 6 })),
        ],
        confirmation: { profile, confirm, command: later, canGoBack: dialog.hasAsked() },
        async show(made) {
          await ctx.out.record(made.record, columns, () => creation.result(made, body, profile));
          difference = creation.difference?.(made.record.value, body, profile);
        },
      };
    },
  );
  return applied === undefined ? undefined : { applied, difference };
}

// It was made, so it is not a refusal; and nobody agreed to it, so a person must look (7). No link is drawn for the buyer.
function notAsAsked(profile: Profile, { record, change }: Applied, difference: string): CliError {
  const id = idOf(record) ?? '';
  return new CliError('unconfirmed', difference, {
    change,
    orderId: id,
    opening: 'NOT AS ASKED:',
    certain: 'the service made it, once; do not create it again',
    now: [
      'check it before the buyer pays, and show your lead:',
      id === '' ? commandLine(profile, 'orders', 'list') : commandLine(profile, 'orders', 'show', id),
    ],
  });
}

interface Sale {
  readonly kind: 'order' | 'checkout';
  readonly amount: number | undefined;
  readonly currency: string;
  readonly body: JsonObject;
}

// What was created a few minutes ago for the same amount and the same buyer, or for none: it may be the same sale. Nothing if the
// journal cannot be read, which every other question to it says.
async function equalOnes(
  ctx: Context,
  service: OpenService,
  { kind, amount, currency, body }: Sale,
): Promise<readonly string[]> {
  const now = ctx.clock.now();
  const since = now - twinSeconds * 1000;
  const sent = await ctx.journal.sentSince(service, { kind, since }).catch(orElse(() => []));
  const buyer = buyerIn(body);
  return sent.flatMap((record) => {
    const { sent: one } = record;
    const state = recordedState(record);
    const isEqual =
      one.amount === amount && one.currency === currency && sameJson(buyerIn(one.request.body ?? {}), buyer);
    if (!isEqual || (state !== 'made' && state !== 'unconfirmed')) return [];
    const whose = buyer === null ? 'without a buyer too' : 'for the same buyer';
    return [
      `${changeOf(record, service.profile.settings)}, ${whose}, sent ${agoWords(now - one.time)} by ${whoSent(one)}: ${state} (paydesk journal show ${one.change}); if this is the same sale, ${kindWords[kind].twice}`,
    ];
  });
}

function buyerIn(body: JsonObject): unknown {
  return valueAt(body, ['order_template', 'customer_info']) ?? body.customer_info ?? null;
}

function missingFlags(given: object, names: readonly string[]): readonly string[] {
  return names.filter((name) => !Object.hasOwn(given, name)).map((name) => `--${name}`);
}

interface ToSend extends Pick<Confirmation, 'profile' | 'confirm'> {
  readonly file: string | undefined;
  readonly ask: SaleAsk;
}

// Returns the body to send. `asked`: the input that must be the same when `--idempotency-key` is used again. `words`: the flags that ask for
// the same without a question.
async function bodyToSend<B extends JsonObject, D extends Draft>(
  ctx: Context,
  creation: Creation<B, D>,
  given: D,
  { file, ...how }: ToSend,
) {
  const { profile } = how;
  if (file !== undefined) {
    const body = checkedBody(creation, await readBody(ctx, file), `--body ${file}`);
    return { body, asked: onlyGiven({ body }), words: ['--body', file], warnings: [] };
  }
  const draft = await gather(ctx, creation, given, how);
  const body = checkedBody(creation, creation.bodyOf(draft, clockAndZoneOf(ctx), profile), creation.what);
  // Tomorrow the text `7d` still counts as the same request, although it means another moment.
  const { item, shipping, currency, expires } = draft;
  const asked = onlyGiven({
    ...draft,
    item: item && itemsIn(item, currency, profile),
    shipping: shipping?.map(({ amount }) => amount),
    expires: expires?.text,
  });
  const prices = [...(item ?? []).map(({ price }) => price), ...(shipping ?? [])];
  return { body, asked, words: wordsOf(draft), warnings: unitWarnings(prices, currency, profile) };
}

// Without any flag a person is asked for everything. With flags they are asked only for required values that are missing.
async function gather<B extends JsonObject, D extends Draft>(
  ctx: Context,
  { essential, askEssential, askMore }: Creation<B, D>,
  given: D & object,
  { confirm, profile, ask }: Omit<ToSend, 'file'>,
): Promise<D> {
  const { yes, dryRun } = ctx.options;
  const asks = ctx.ask.interactive && !dryRun;
  const missing = missingFlags(given, essential);
  if (!asks && missing.length > 0)
    throw usage(`missing ${missing.join(', ')}`, ['give them, or the whole body with --body FILE']);
  const asking = { ask, profile, clock: ctx.clock, days: ctx.days };
  const draft = await askEssential(asking, given);
  const asksForMore = asks && Object.keys(given).length === 0 && !yes && confirm === undefined;
  return asksForMore ? askMore(asking, draft) : draft;
}

// The values of flags as words of a command line. Months are one word; all other lists repeat their flag.
function wordsOf(draft: object): readonly string[] {
  return Object.entries(draft).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    if (!Array.isArray(value)) return [`--${name}`, wordOf(value)];
    return name === 'installments'
      ? [`--${name}`, value.join(',')]
      : value.flatMap((one: unknown) => [`--${name}`, wordOf(one)]);
  });
}

// A pair such as KEY=VALUE, a detail such as 2=TEXT, or a value that remembers how it was typed.
function wordOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('=');
  if (!isObject(value)) return String(value);
  return typeof value.item === 'number' ? `${value.item}=${String(value.text)}` : String(value.text);
}

const maxBytes = 1024 * 1024;

/** Reads the JSON object of `--body FILE`. Throws CliError 'usage' when it is not an object, or could not be sent exactly as written. */
export async function readBody(ctx: Context, path: string): Promise<JsonObject> {
  const text = (await ctx.file(path, maxBytes)).replace(/^\uFEFF/, '');
  const where = path === '-' ? 'standard input' : path;
  const value = parse(text, where);
  const twice = repeatedKey(text);
  if (twice !== undefined) throw usage(`--body: ${twice} appears twice in one object of ${where}`);
  if (isObject(value)) return { ...value };
  throw usage(`--body ${path}: ${where} contains JSON that is not an object`);
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text, exactly);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('usage', `--body: ${where} does not contain JSON`, {
      cause: error,
    });
  }
}

// Refuses a number that JavaScript would round, because paydesk would then send a different number.
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  const rounded = /^-?\d+$/.test(source) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  if (typeof value === 'number' && rounded)
    throw usage(`--body: ${source} cannot be sent exactly; put large numbers in quotes`);
  return value;
}

// Throws CliError 'usage' that names the field of every fault. `where` is what the message calls the body.
function checkedBody<B extends JsonObject, D>({ check }: Creation<B, D>, value: unknown, where: string): B {
  const checked = check(value);
  if ('body' in checked) return checked.body;
  throw faultsError(checked.faults, where);
}

function faultsError(faults: readonly BodyFault[], where: string): CliError {
  const details = faults.map(({ param, message }) => ({ message, param: param ?? 'the body' }));
  const [only, second] = details;
  const words = second === undefined ? `${only?.param}: ${only?.message}` : `${faults.length} faults`;
  return new CliError('usage', `${where}: ${words}`, { certain: 'nothing was sent', details });
}
