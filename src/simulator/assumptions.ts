/** What the simulator does where the service's document is silent: every such choice that has a value. */

import { documentedErrors } from '../api/spec.ts';

// Assumed: the statuses of errors, and all types except two; the document shows no status (service: Errors).
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
export type ErrorKindName = keyof typeof errorKinds;

// Assumed: page sizes; the examples use 5 and 20 (service: Limits 1).
export const pageSizes = { default: 20, min: 1, max: 250 } as const;

// Assumed: a request body has at most this many bytes.
export const maxBodyBytes = 1024 * 1024;

// Assumed: messages are English unless Accept-Language asks for Spanish.
export const defaultLanguage = 'en';
export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

// Assumed: an Accept header that names no vendor type gets the newest version.
export const neutralMediaTypes = ['*/*', 'application/*', 'application/json'] as const;

// Assumed: what a fee is, in thousandths of the charge.
export const feePerThousand = 29;

// Assumed: a checkout as it is answered: its state, its life when no expiry was sent (seconds), its payment page.
export const checkoutDefaults = {
  status: 'Issued',
  lifeSeconds: 3 * 24 * 3600,
  pageOrigin: 'https://pay.example.com',
} as const;

// Assumed: keys; private ones are made at random for each instance, and public ones start like this.
export const keyPrefixes = { private: 'key_', public: 'pub_' } as const;

// Assumed: names that the document writes in two ways are taken in both (service: Endpoints 4 and 5).
export const checkoutAliases = {
  order: { plan_id: 'planId', expired_at: 'expires_at' },
  link: { planId: 'plan_id', expires_at: 'expired_at' },
} as const;
