/** Every error of the simulator: its kind, code, and words in English and Spanish. */

import type { BodyFault } from '../api/request-bodies.ts';
import { documentedErrors } from '../api/spec.ts';
import type { StoredOrder } from './stored-records.ts';

// Assumed: the statuses of errors, and all types except two. The document shows no status (service: Errors).
export const errorKinds = {
  malformed: { status: 400, type: 'malformed_request_error' },
  authentication: { status: 401, type: 'authentication_error' },
  processing: { status: 402, type: documentedErrors.chargeIdRequired.type },
  forbidden: { status: 403, type: 'forbidden_error' },
  notFound: { status: 404, type: 'resource_not_found_error' },
  notAcceptable: { status: 406, type: 'not_acceptable_error' },
  tooLarge: { status: 413, type: 'malformed_request_error' },
  validation: { status: 422, type: 'parameter_validation_error' },
  precondition: { status: 428, type: documentedErrors.notReturnable.type },
  tooMany: { status: 429, type: 'too_many_requests_error' },
  internal: { status: 500, type: 'internal_error' },
} as const;

export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

/** One detail of an error (service: Errors). */
interface FailureDetail {
  /** Without the leading `<brand>.errors.` (service: Errors). */
  readonly code: string;
  readonly param: string | null;
  readonly words: Readonly<Record<Language, string>>;
  /** In English, for developers. Default: the English message. */
  readonly debug?: string;
}

/** An error, before app.ts chooses its language and gives it a log id. */
export interface Failure {
  readonly kind: keyof typeof errorKinds;
  readonly details: readonly FailureDetail[];
  readonly data?: StoredOrder;
}

/** The result of a rule: a value, or the service's error. */
export type Ruled<T> = { readonly value: T } | { readonly failure: Failure };

function failure(kind: Failure['kind'], code: string, en: string, es: string, param: string | null = null) {
  return { kind, details: [{ code, param, words: { en, es } }] } satisfies Failure;
}

/** The documented error for a full refund of an order with a charge that is not refundable (service: Errors). */
export function notReturnable(): Failure {
  const { code } = documentedErrors.notReturnable;
  return failure('precondition', code, 'The order is not refundable.', 'La orden no se puede reembolsar.');
}

/** The documented error for `amount` without `charge_id` on a split order (service: Errors). */
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

// Assumed: all codes below. The document shows only the two above.

/** The error for a refund of a charge that is not refundable. */
export function chargeNotRefundable(chargeId: string): Failure {
  return failure(
    'precondition',
    'precondition_required.charge_operations.refund.charge_is_not_refundable',
    `The charge ${chargeId} is not refundable.`,
    `El cargo ${chargeId} no se puede reembolsar.`,
    'charge_id',
  );
}

/** The error for a refund of more than `left`. */
export function amountAboveRest(left: number): Failure {
  return failure(
    'validation',
    'parameter_validation.amount.above_rest',
    `The amount is more than is left to refund, ${left}.`,
    `El monto es mayor que lo que queda por reembolsar, ${left}.`,
    'amount',
  );
}

/** The error for a capture of an order that is not pre-authorized. */
export function notAuthorized(status: string | undefined): Failure {
  const shown = status ?? 'unpaid';
  return failure(
    'precondition',
    'precondition_required.order.is_not_pre_authorized',
    `Only a pre-authorized order can be captured; this one is ${shown}.`,
    `Solo se puede capturar una orden preautorizada; esta es ${shown}.`,
  );
}

/** The error for an order whose sum is beyond 2^53-1. */
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

/** The error for a missing record, path or cursor. `param`: the parameter that named it. */
export function notFound(what: keyof typeof spanish, id: string, param: string | null = null): Failure {
  return failure(
    'notFound',
    'resource_not_found',
    `There is no ${what} ${id}.`,
    `No existe: ${spanish[what]} ${id}.`,
    param,
  );
}

/** The error for a wrong parameter. `en` and `es` say what is wrong. */
export function badParameter(param: string, en: string, es: string): Failure {
  return failure('validation', 'parameter_validation.invalid', en, es, param);
}

const faultWords = {
  missing: { en: 'This parameter is required', es: 'Este parámetro es requerido' },
  unknown: { en: 'This parameter is not known', es: 'Este parámetro no es conocido' },
  invalid: { en: 'This parameter is not valid', es: 'Este parámetro no es válido' },
} as const;

/** The error for a body with faults, with one detail per fault. */
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

/** The error for an Accept header with an unknown version or vendor. */
export function notOffered(en: string, es: string): Failure {
  return failure('notAcceptable', 'not_acceptable.version', en, es, 'Accept');
}

/** The error for a missing or wrong key. */
export function notAuthenticated(code: string, en: string, es: string): Failure {
  return failure('authentication', `authentication.${code}`, en, es);
}

/** The error for a body that cannot be read as JSON. */
export function malformed(en: string, es: string): Failure {
  return failure('malformed', 'malformed_request.body', en, es);
}

/** The error for a body of more than `max` bytes. */
export function bodyTooLarge(max: number): Failure {
  return failure(
    'tooLarge',
    'malformed_request.body_too_large',
    `A body is at most ${max} bytes.`,
    `Un cuerpo tiene a lo sumo ${max} bytes.`,
  );
}

/** The error for a request that is not from a program on this machine. */
export function forbidden(code: string, en: string, es: string): Failure {
  return failure('forbidden', `forbidden.${code}`, en, es);
}

export function tooMany(): Failure {
  return failure('tooMany', 'too_many_requests', 'Too many requests.', 'Demasiadas solicitudes.');
}

/** The error for a bug in the simulator itself. */
export function internal(): Failure {
  return failure('internal', 'internal', 'The simulator failed.', 'El simulador falló.');
}
