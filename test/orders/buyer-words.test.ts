/** The words for the buyer in every state of a refund, in both languages: money went back wherever the service shows it, and nowhere else. */

import { describe, expect, it } from 'vitest';
import { moneyOf } from '../../src/api/charges.ts';
import { type BuyerLanguage, buyerLines } from '../../src/orders/buyer-words.ts';
import type { KnownOrder } from '../../src/orders/known-order.ts';
import { type KnownRefund, refundStates } from '../../src/orders/refund-states.ts';
import { chargeOf, newRefundOf, orderOf, withRefund } from '../harness/orders.ts';

const order = withRefund(
  orderOf('ord_1', [chargeOf('ch_1', 35_000)], {
    customer_info: { object: 'customer_info', name: 'Ana Torres' },
  }),
  newRefundOf('rf_1', 12_000, { created_at: Date.parse('2026-11-20T22:30:00Z') / 1000, auth_code: '490215' }),
  12_000,
);
const money = moneyOf(order);
const [charge] = money?.charges ?? [];

// As the order shows it, or as only the journal knows it.
function refundIn(state: KnownRefund['state']): KnownRefund {
  const isShown = !['unconfirmed', 'recorded made', 'recorded not made', 'gone'].includes(state);
  return {
    state,
    record: isShown ? charge?.refunds[0] : undefined,
    charge,
    amount: 12_000,
    attempt: undefined,
    mayAppear: state === 'unconfirmed' || state === 'recorded not made',
  };
}

function textOf(state: KnownRefund['state'], language: BuyerLanguage): string {
  return textAbout([refundIn(state)], language);
}

function textAbout(refunds: readonly KnownRefund[], language: BuyerLanguage): string {
  if (money === undefined || charge === undefined) throw new Error('the order cannot be read');
  const records = refunds.flatMap(({ record }) => record ?? []);
  const known: KnownOrder = {
    order,
    reading: { money: { ...money, charges: [{ ...charge, refunds: records }] } },
    doubt: undefined,
    refunds,
    cases: [],
    whyNot: undefined,
    attempts: [],
    neverArrived: [],
    replaced: [],
    first: undefined,
    unfit: undefined,
  };
  const style = {
    language,
    amounts: { 'amounts.decimals': { MXN: 2 }, 'amounts.grouping': 'off' },
    zone: 'UTC',
    order: 'A-10023',
    days: 10,
    template: undefined,
  } as const;
  return buyerLines(known, refunds, style).slice(2, -2).join('\n');
}

const texts: Readonly<Record<BuyerLanguage, Readonly<Record<string, string>>>> = {
  en: Object.fromEntries(refundStates.map((state) => [state, textOf(state, 'en')])),
  es: Object.fromEntries(refundStates.map((state) => [state, textOf(state, 'es')])),
};

describe('the words for the buyer', () => {
  it('in English', () => {
    expect(texts.en).toMatchInlineSnapshot(`
      {
        "appeared": "On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.
      If your bank asks, the authorization code of the payment is 490215.
      It can take up to 10 days to show on your statement.",
        "elsewhere": "On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.
      If your bank asks, the authorization code of the payment is 490215.
      It can take up to 10 days to show on your statement.",
        "failed": "The refund of 120.00 MXN to your Visa card ending in 4242 did not go through, so you have not received that money.",
        "gone": "We are checking a refund of 120.00 MXN to your Visa card ending in 4242. We cannot confirm yet whether it went through.",
        "made": "On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.
      If your bank asks, the authorization code of the payment is 490215.
      It can take up to 10 days to show on your statement.",
        "made twice": "On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.
      If your bank asks, the authorization code of the payment is 490215.
      It can take up to 10 days to show on your statement.",
        "pending": "A refund of 120.00 MXN to your Visa card ending in 4242 is under way. It is not complete yet.",
        "recorded made": "According to our records, a refund of 120.00 MXN to your Visa card ending in 4242 was made.",
        "recorded not made": "We are checking a refund of 120.00 MXN to your Visa card ending in 4242. We cannot confirm yet whether it went through.",
        "unconfirmed": "We are checking a refund of 120.00 MXN to your Visa card ending in 4242. We cannot confirm yet whether it went through.",
      }
    `);
  });

  it('says what a bank looks for once, after the last refund to the card', () => {
    expect(textAbout([refundIn('made'), refundIn('made twice')], 'en').split('\n')).toEqual([
      'On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.',
      'On 20 November 2026 we refunded 120.00 MXN to your Visa card ending in 4242.',
      'If your bank asks, the authorization code of the payment is 490215.',
      'It can take up to 10 days to show on your statement.',
    ]);
  });

  it('in Spanish', () => {
    expect(texts.es).toMatchInlineSnapshot(`
      {
        "appeared": "El 20 de noviembre de 2026 le reembolsamos 120.00 MXN a su tarjeta Visa terminada en 4242.
      Si su banco se lo pide, el código de autorización del pago es 490215.
      Puede tardar hasta 10 días en aparecer en su estado de cuenta.",
        "elsewhere": "El 20 de noviembre de 2026 le reembolsamos 120.00 MXN a su tarjeta Visa terminada en 4242.
      Si su banco se lo pide, el código de autorización del pago es 490215.
      Puede tardar hasta 10 días en aparecer en su estado de cuenta.",
        "failed": "El reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242 no se pudo completar, por lo que usted no ha recibido ese dinero.",
        "gone": "Estamos revisando un reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242. Todavía no podemos confirmar si se realizó.",
        "made": "El 20 de noviembre de 2026 le reembolsamos 120.00 MXN a su tarjeta Visa terminada en 4242.
      Si su banco se lo pide, el código de autorización del pago es 490215.
      Puede tardar hasta 10 días en aparecer en su estado de cuenta.",
        "made twice": "El 20 de noviembre de 2026 le reembolsamos 120.00 MXN a su tarjeta Visa terminada en 4242.
      Si su banco se lo pide, el código de autorización del pago es 490215.
      Puede tardar hasta 10 días en aparecer en su estado de cuenta.",
        "pending": "Un reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242 está en proceso. Todavía no se ha completado.",
        "recorded made": "Según nuestros registros, se realizó un reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242.",
        "recorded not made": "Estamos revisando un reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242. Todavía no podemos confirmar si se realizó.",
        "unconfirmed": "Estamos revisando un reembolso de 120.00 MXN a su tarjeta Visa terminada en 4242. Todavía no podemos confirmar si se realizó.",
      }
    `);
  });

  it.each(refundStates.filter((state) => !['made', 'made twice', 'appeared', 'elsewhere'].includes(state)))(
    'of a refund that is %s never say that money went back, nor when, nor how long it takes',
    (state) => {
      const both = `${texts.en[state]} ${texts.es[state]}`;
      expect(both).not.toMatch(/refunded|reembolsamos|2026|490215|10 (?:days|días)/);
      expect(both).toContain('120.00 MXN');
    },
  );

  it('say nothing of a refund that was recorded as not made, once as much went back to the same card', () => {
    const [never, again] = [refundIn('recorded not made'), refundIn('made')];
    expect(textAbout([never, again], 'en')).toBe(texts.en.made);
    expect(textAbout([again, never], 'es')).toBe(texts.es.made);
    expect(textAbout([{ ...never, amount: 11_999 }, again], 'en')).toMatch(/checking a refund of 119.99 MXN/);
  });

  it('tell of one that failed all the same, and that another one followed: the buyer may have heard that it was made', () => {
    const shown = charge?.refunds.map((one) => ({
      ...one,
      id: 'rf_0',
      status: 'failed',
      meaning: 'failed' as const,
    }));
    const told = textAbout([{ ...refundIn('failed'), record: shown?.[0] }, refundIn('made')], 'en');
    expect(told).toBe(
      `The first refund of 120.00 MXN to your Visa card ending in 4242 did not go through, so we sent it again:\n${texts.en.made}`,
    );
  });
});
