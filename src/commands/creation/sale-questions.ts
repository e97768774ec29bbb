/** The questions that orders and payment links share. */

import { paymentMethodValues } from '../../api/spec.ts';
import { oneOf, recordId } from '../command.ts';
import { parseExpiry } from './expiry.ts';
import { parseCurrency, parseMonths } from './flags.ts';
import { asTyped } from './questions.ts';

/** Message, flag and reading of each. */
export const saleQuestions = {
  name: { message: 'What is the charge for?', flag: '--name', parse: asTyped },
  currency: { message: 'Currency', flag: '--currency', parse: parseCurrency },
  customer: {
    message: 'Id of the customer',
    flag: '--customer',
    parse: (text: string, name: string) => recordId('customers', text, name),
  },
  method: {
    message: `Ways to pay, of ${paymentMethodValues.join(',')}`,
    flag: '--method',
    parse: (text: string, name: string) =>
      text.split(',').map((word) => oneOf(paymentMethodValues, word.trim(), name)),
  },
  expires: { message: 'Expires, such as 7d or 2026-12-31', flag: '--expires', parse: parseExpiry },
  installments: {
    message: 'Monthly installments, such as 3,6,9',
    flag: '--installments',
    parse: parseMonths,
  },
  plan: { message: 'Id of the plan', flag: '--plan', parse: asTyped },
} as const;
