/** Every refusal of the simulator: its kind, code and words in both languages. */

import type { BodyFault } from '../api/request-bodies.ts';
import { documentedErrors } from '../api/spec.ts';
import type { ErrorKindName, Language } from './assumptions.ts';
import type { StoredOrder } from './records.ts';

/** One detail of an error (service: Errors). */
export interface FailureDetail {
  /** What follows `<brand>.errors.` (service: Errors). */
  readonly code: string;
  readonly param: string | null;
  readonly words: Readonly<Record<Language, string>>;
  /** English, for developers; the English words when there is none. */
  readonly debug?: string;
}

/** A refusal, before it has a language and a log id. */
export interface Failure {
  readonly kind: ErrorKindName;
  readonly details: readonly FailureDetail[];
  readonly data?: StoredOrder;
}

/** What a rule came to. */
export type Ruled<T> = { readonly value: T } | { readonly failure: Failure };

function failure(kind: ErrorKindName, code: string, en: string, es: string, param: string | null = null) {
  return { kind, details: [{ code, param, words: { en, es } }] } satisfies Failure;
}

/** The documented error of a full refund while a charge is not refundable (service: Errors). */
export function notReturnable(): Failure {
  const { code } = documentedErrors.notReturnable;
  return failure('precondition', code, 'The order is not refundable.', 'La orden no se puede reembolsar.');
}

/** The documented error of `amount` without `charge_id` on a split order (service: Errors). */
export function chargeIdRequired(order: StoredOrder): Failure {
  return {
    ...failure(
      'processing',
      documentedErrors.chargeIdRequired.code,
      'A partial refund of a split payment needs charge_id.',
      'Un reembolso parcial de un pago dividido necesita charge_id.',
    ),
    data: order,
  };
}

// Assumed: every code below; the document shows two.

/** A refund of a charge that is not refundable. */
export function chargeNotRefundable(chargeId: string): Failure {
  return failure(
    'precondition',
    'precondition_required.charge_operations.refund.charge_is_not_refundable',
    `The charge ${chargeId} is not refundable.`,
    `El cargo ${chargeId} no se puede reembolsar.`,
    'charge_id',
  );
}

/** A refund of more than is left, in the service's integer. */
export function amountAboveRest(left: number): Failure {
  return failure(
    'validation',
    'parameter_validation.amount.above_rest',
    `The amount is more than is left to refund, ${left}.`,
    `El monto es mayor que lo que queda por reembolsar, ${left}.`,
    'amount',
  );
}

/** A capture of an order that is not pre-authorized. */
export function notAuthorized(status: string | undefined): Failure {
  const shown = status ?? 'unpaid';
  return failure(
    'precondition',
    'precondition_required.order.is_not_pre_authorized',
    `Only a pre-authorized order can be captured; this one is ${shown}.`,
    `Solo se puede capturar una orden preautorizada; esta es ${shown}.`,
  );
}

/** An order whose sum no exact number can hold. */
export function amountTooLarge(param: string): Failure {
  return failure(
    'validation',
    'parameter_validation.amount.too_large',
    'The sum of the order is too large.',
    'La suma de la orden es demasiado grande.',
    param,
  );
}

const spanish = { order: 'orden', customer: 'cliente', charge: 'cargo', path: 'ruta' } as const;

/** No such record, path or cursor; `param` names the parameter that asked for it. */
export function notFound(what: keyof typeof spanish, id: string, param: string | null = null): Failure {
  return failure(
    'notFound',
    'resource_not_found',
    `There is no ${what} ${id}.`,
    `No existe: ${spanish[what]} ${id}.`,
    param,
  );
}

/** A parameter that cannot be, with why in both languages. */
export function badParameter(param: string, en: string, es: string): Failure {
  return failure('validation', 'parameter_validation.invalid', en, es, param);
}

const faultWords = {
  missing: { en: 'This parameter is required', es: 'Este parámetro es requerido' },
  unknown: { en: 'This parameter is not known', es: 'Este parámetro no es conocido' },
  invalid: { en: 'This parameter is not valid', es: 'Este parámetro no es válido' },
} as const;

/** One detail for each fault of a body. */
export function badBody(faults: readonly BodyFault[]): Failure {
  const details = faults.map(({ kind, param, message }) => {
    const where = param === null ? '' : `: ${param}`;
    const { en, es } = faultWords[kind];
    return {
      code: `parameter_validation.${kind}`,
      param,
      words: { en: `${en}${where}.`, es: `${es}${where}.` },
      debug: message,
    };
  });
  return { kind: 'validation', details };
}

/** A version or vendor that is not answered. */
export function notOffered(en: string, es: string): Failure {
  return failure('notAcceptable', 'not_acceptable.version', en, es, 'Accept');
}

/** A key that is missing, of another form, or another one. */
export function notAuthenticated(code: string, en: string, es: string): Failure {
  return failure('authentication', `authentication.${code}`, en, es);
}

/** A body that is not a JSON object. */
export function malformed(en: string, es: string): Failure {
  return failure('malformed', 'malformed_request.body', en, es);
}

/** A body of more than `max` bytes. */
export function bodyTooLarge(max: number): Failure {
  return failure(
    'tooLarge',
    'malformed_request.body_too_large',
    `A body is at most ${max} bytes.`,
    `Un cuerpo tiene a lo sumo ${max} bytes.`,
  );
}

/** A request that only a program of this machine may make. */
export function forbidden(code: string, en: string, es: string): Failure {
  return failure('forbidden', `forbidden.${code}`, en, es);
}

/** Too many requests. */
export function tooMany(): Failure {
  return failure('tooMany', 'too_many_requests', 'Too many requests.', 'Demasiadas solicitudes.');
}

/** A fault of the simulator itself. */
export function internal(): Failure {
  return failure('internal', 'internal', 'The simulator failed.', 'El simulador falló.');
}
