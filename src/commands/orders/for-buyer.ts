/** The words for the buyer of an order or of one refund: `orders show --for-buyer` and `refunds receipt` print them, and copy them if asked. */

import { placesOf } from '../../amounts.ts';
import { readOne, type Service } from '../../api/api.ts';
import { type JsonObject, valueAt } from '../../api/json-values.ts';
import { referenceOf } from '../../api/resources.ts';
import { orderIdPattern } from '../../api/spec.ts';
import type { Context } from '../../context/context.ts';
import { CliError, refused } from '../../errors.ts';
import { flag, usage } from '../../flags/flags.ts';
import { type AttemptRecord, attemptName } from '../../journal/journal.ts';
import {
  buyerLanguages,
  buyerLines,
  type KnownOrder,
  knownOrders,
  stopsRefund,
  toldOfThem,
  withMeantOrder,
} from '../../orders/orders.ts';
import { commandLine, type Profile } from '../../profiles/profiles.ts';
import { defineCommand } from '../command.ts';
import { changeArgument, changesOn, findAttempt, orByNumber } from '../journal/meant-change.ts';

/** The flag `--copy` of these commands. */
export const copyFlag = flag.switch(
  'put the words for the buyer on the clipboard, where the terminal allows it',
);

/** Throws CliError 'usage' if there is no terminal that has a clipboard. Call it before anything is read. */
export function checkCopy(ctx: Context, copy: boolean | undefined): void {
  if (copy === true && ctx.out.copy === undefined)
    throw usage(
      '--copy needs a terminal, and stdout is none: the words can be piped into a clipboard program',
    );
}

/** `of`: the change whose refunds the words are about; without it they are about all refunds of the order. */
export async function tellBuyer(
  ctx: Context,
  service: Service,
  order: JsonObject,
  { copy, of }: { readonly copy: boolean; readonly of?: AttemptRecord },
): Promise<void> {
  refuseRedacted(ctx);
  const { settings, lang = 'en' } = service.profile;
  const language = buyerLanguages.find((one) => lang.toLowerCase().startsWith(one));
  if (language === undefined)
    throw usage(
      `there are no words for buyers in ${lang}`,
      buyerLanguages.map((one) => `--lang ${one}: ${nameOfLanguage(one)}`),
    );
  const [known] = await knownOrders(ctx, service, [order]);
  if (known !== undefined) sayFirst(ctx, service.profile, known);
  const refunds = known?.refunds ?? [];
  const own = refunds.filter(
    ({ attempt }) => attempt !== undefined && of !== undefined && attemptName(attempt) === attemptName(of),
  );
  const isShown = own.some(({ record }) => record !== undefined);
  const again =
    known === undefined || isShown ? [] : toldOfThem(known, own).filter((one) => !own.includes(one));
  const about =
    own.length === 0
      ? 'the whole order'
      : again.map(({ attempt, record }) => attempt?.sent.change ?? record?.id).join(' and ');
  // Otherwise, whoever pastes the words would think that they are about this change.
  if (of !== undefined && about !== '')
    ctx.notes.note(`the order shows no refund of ${of.sent.change}: these words are about ${about}`);
  const lines =
    known === undefined
      ? []
      : buyerLines(known, own.length === 0 ? refunds : own, {
          language,
          amounts: settings,
          zone: ctx.zone(),
          order: String(referenceOf(order, settings['reference.keys']) ?? order.id),
          days: settings['receipt.days'],
          template: settings['receipt.template'],
        });
  const currency = valueAt(order, ['currency']);
  if (typeof currency === 'string' && placesOf(currency, settings) === undefined)
    ctx.notes.note(
      `the amounts are in the service's units, because no decimals of ${currency} are declared: check them before you send this`,
    );
  const text = lines.join('\n');
  await ctx.out.own({ object: 'buyer_text', order: order.id, language, text }, () =>
    lines.map((line) => (line === '' ? 'blank' : { line })),
  );
  if (!copy) return;
  await ctx.out.copy?.(text);
  ctx.notes.note('copied, if your terminal lets programs do that; paste it to check');
}

/** Says on stderr what a person must know about an order first, if neither its fields nor the words for a buyer say it. */
export function sayFirst(
  { notes }: Pick<Context, 'notes'>,
  profile: Profile,
  { first, order }: KnownOrder,
): void {
  if (first === undefined || first === 'no mode' || first === 'pending') return;
  const lead = first !== 'unconfirmed' && stopsRefund(first) ? 'show your lead: ' : '';
  const show = commandLine(profile, 'orders', 'show', String(order.id));
  notes.note(`this order, ${String(order.id)}: ${first}: ${lead}${show}`);
}

function nameOfLanguage(code: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
}

// A buyer can do nothing with a masked card, and whoever pastes the words would not see that it is masked.
function refuseRedacted({ redaction }: Context): void {
  if (!redaction.isOn()) return;
  throw refused(
    'the words for a buyer hold personal data, and that is masked now',
    ['ask somebody who may see it, or leave out --redact (paydesk help settings)'],
    'redacted',
  );
}

export const receipt = defineCommand({
  description:
    'Reads the order again and writes a text to paste for the buyer: how much went back, to which card, when, and what a bank can look for. It says that money went back only if the order shows it. --lang es writes Spanish; receipt.days and receipt.template of the profile say how long a refund takes, and in which words.',
  arguments: [changeArgument(true)],
  flags: { copy: copyFlag },
  examples: [
    'paydesk refunds receipt i_7f3k2m9q --lang es',
    'paydesk refunds receipt i_7f3k2m9q --json --no-input',
  ],
  async run(ctx, { args: [name], flags }): Promise<undefined> {
    checkCopy(ctx, flags.copy);
    await orByNumber(ctx, name, (id) => tellOf(ctx, id, flags.copy === true));
  },
});

// Tells the buyer about a refund, or about all refunds of an order without one of our own.
async function tellOf(ctx: Context, id: string, copy: boolean): Promise<void> {
  const [only, ...more] = (await changesOn(ctx, id)).filter(({ sent }) => sent.proof.kind === 'refund');
  const read = async (orderId: string) => {
    const service = await ctx.service({ shown: orderId });
    const reading = readOne(ctx, service, 'orders', orderId, 'show');
    const { value } = await reading.catch(async (error: unknown) => {
      throw await withMeantOrder(ctx, service, error, orderId);
    });
    return { service, value };
  };
  if (only === undefined && orderIdPattern.test(id)) {
    const { service, value } = await read(id);
    ctx.notes.note(`no refund of ${id} was sent from here: these words are about all refunds that it shows`);
    return await tellBuyer(ctx, service, value, { copy });
  }
  const { lang } = ctx.options;
  const command = ['refunds', 'receipt', ...(lang === undefined ? [] : ['--lang', lang])];
  const record = only === undefined || more.length > 0 ? await findAttempt(ctx, id, command) : only;
  const { proof, change, account, profile: named } = record.sent;
  const { orderId } = proof;
  if (proof.kind !== 'refund' || orderId === undefined)
    throw new CliError('usage', `${id} is no refund`, {
      change,
      now: [`paydesk journal show ${change}`],
    });
  await ctx.useProfileOf({ account, profile: named });
  const { service, value } = await read(orderId);
  await tellBuyer(ctx, service, value, { copy, of: record });
}
