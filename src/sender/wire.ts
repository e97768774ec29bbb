/** The connection between a desk and its sender: paths, headers, sizes, and the message forms. Both sides import this. */

import * as v from 'valibot';
import {
  apiVersionPattern,
  chargeIdPattern,
  langPattern,
  modes,
  orderIdPattern,
  vendorPattern,
} from '../api/spec.ts';
import { CliError, type CliErrorParts, type ErrorKind, exitCodes } from '../errors.ts';
import { profileNamePattern } from '../profiles/profiles.ts';
import type { RefusalCode } from '../refusal-codes.ts';

/**
 * The version of the protocol. If sender and desk differ, they say so and do nothing else. So it rises when one side would
 * refuse or misread a message of the other. A question that only newer desks ask does not need it.
 */
export const hopVersion = 1;

/** Each role may do what those before it may, except that a proposer and a viewer release nothing. */
export const roles = ['viewer', 'proposer', 'operator', 'lead'] as const;
export type Role = (typeof roles)[number];

export function mayAct(role: Role, as: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(as);
}

// ── Paths and headers ───────────────────────────────────────────────────────────────────────────

/** Paths of the hop. `account` is the name of the sender's profile (`profileNamePattern`), `id` matches `changeIdPattern`. */
export const hopPaths = {
  health: '/health',
  join: '/v1/join',
  account: (account: string) => `/v1/account/${account}`,
  /** Only documented GETs of the service (service: Endpoints 2). */
  service: (account: string) => `/v1/service/${account}`,
  journal: (account: string, question: string) => `/v1/journal/${account}/${question}`,
  rules: (account: string, question: string) => `/v1/rules/${account}/${question}`,
  changes: (account: string) => `/v1/changes/${account}`,
  change: (account: string, id: string) => `/v1/changes/${account}/${id}`,
  withdraw: (account: string, id: string) => `/v1/changes/${account}/${id}/withdraw`,
  resolve: (account: string, id: string) => `/v1/changes/${account}/${id}/resolve`,
  plans: (account: string) => `/v1/plans/${account}`,
  applyPlan: (account: string) => `/v1/plans/${account}/apply`,
  plan: (account: string, digest: string) => `/v1/plans/${account}/${digest}`,
  stopPlan: (account: string, digest: string) => `/v1/plans/${account}/${digest}/stop`,
} as const;

/** Headers in lower case. `authorization` is `Bearer TOKEN`. */
export const hopHeaders = {
  /** In every request: the name of the machine, percent-encoded. */
  desk: 'paydesk-desk',
  /** In every request: the mode in the desk's profile. */
  mode: 'paydesk-mode',
  /** In every reply: the version of the protocol. */
  version: 'paydesk-hop',
  /** In error replies of the sender itself (`errorForm`), never in those of the service. */
  error: 'paydesk-error',
} as const;

/** The media types of bodies: one JSON value, or one JSON value in each line. */
export const mediaTypes = { json: 'application/json', lines: 'application/x-ndjson' } as const;

// ── Sizes ───────────────────────────────────────────────────────────────────────────────────────

/** The largest request bodies, in bytes. A larger one gets 413 before it is read. */
export const maxBytes = {
  join: 4096,
  question: 256 * 1024,
  change: 256 * 1024,
  plan: 16 * 1024 * 1024,
} as const;

/** The longest texts in requests, in characters. */
export const maxText = { name: 63, note: 2000, line: 500, id: 200 } as const;

/** A text by people or the service: bounded, without control characters. */
export function text(max: number) {
  return v.pipe(
    v.string(),
    v.maxLength(max),
    v.regex(/^[^\u0000-\u0008\u000b-\u001f\u007f]*$/u, 'holds a control character'),
  );
}

export const idForm = text(maxText.id);
export const orderIdForm = v.pipe(v.string(), v.regex(orderIdPattern));
export const chargeIdForm = v.pipe(v.string(), v.regex(chargeIdPattern));
/** An amount in the service's integer units. */
export const unitsForm = v.pipe(v.number(), v.safeInteger());
export const digestForm = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** The name of a member or of a desk. */
export const nameForm = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u));
/** What an account is called at its sender. */
export const accountNameForm = v.pipe(v.string(), v.regex(profileNamePattern));
/** Unix milliseconds. */
export const timeForm = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What a desk sends with every hand-over: its name for the account (for commands in errors) and its time zone. */
export const deskFields = { profile: text(maxText.name), zone: v.optional(text(64)) };
/** The time limit of one request to the service. */
export const timeoutForm = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(600_000));

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

const kinds = Object.keys(exitCodes) as ErrorKind[];
const lines = v.array(text(4000));

// Everything in CliErrorParts except `cause` and `data`, which stay behind.
const partsForm = v.strictObject({
  change: v.optional(v.string()),
  idempotencyKey: v.optional(v.string()),
  orderId: v.optional(v.string()),
  profile: v.optional(v.string()),
  approval: v.optional(v.string()),
  opening: v.optional(v.string()),
  certain: v.optional(v.string()),
  read: v.optional(v.string()),
  now: v.optional(lines),
  forOthers: v.optional(lines),
  ownCode: v.optional(v.custom<RefusalCode>((value) => typeof value === 'string')),
  commands: v.optional(v.array(v.array(v.string()))),
  type: v.optional(v.string()),
  code: v.optional(v.string()),
  logId: v.optional(v.string()),
  httpStatus: v.optional(v.number()),
  details: v.optional(
    v.array(
      v.strictObject({
        message: v.optional(v.string()),
        debugMessage: v.optional(v.string()),
        code: v.optional(v.string()),
        param: v.optional(v.string()),
      }),
    ),
  ),
  roomAt: v.optional(v.nullable(v.number())),
  equalTo: v.optional(v.string()),
});

/** A CliError for a desk. The sender wrote it with the desk's name for the account. */
export const refusedForm = v.strictObject({
  kind: v.picklist(kinds),
  message: v.string(),
  parts: partsForm,
});
type WireError = v.InferOutput<typeof refusedForm>;

/** The body of every error reply of the sender. */
export const errorForm = v.strictObject({ error: refusedForm });

/** An error as sent. `cause` and `data` stay behind. Anything but a CliError is a bug, and its content is not sent. */
export function errorToWire(error: unknown): WireError {
  if (!(error instanceof CliError))
    return { kind: 'internal', message: 'the sender met an error', parts: {} };
  const { cause: _cause, data: _data, ...parts } = error.parts;
  // Through JSON, so undefined fields are left out.
  return v.parse(
    refusedForm,
    JSON.parse(JSON.stringify({ kind: error.kind, message: error.message, parts })),
  );
}

export function errorFromWire({ kind, message, parts }: WireError): CliError {
  return new CliError(kind, message, parts as CliErrorParts);
}

// ── Joining ─────────────────────────────────────────────────────────────────────────────────────

/** A public id, and a secret of 256 bits. */
export const tokenPattern = /^pdt_([a-z0-9]{10})_([A-Za-z0-9_-]{43})$/;
export const invitationPattern = /^pdi_([a-z0-9]{10})_([A-Za-z0-9_-]{43})$/;

/** What `sender invite` prints and `profile add --sender` takes. Its secret works once. */
export const invitationForm = v.strictObject({
  object: v.literal('paydesk_invitation'),
  /** The address of the sender: `https://sender.example:8443`. */
  sender: v.pipe(v.string(), v.url()),
  account: accountNameForm,
  member: nameForm,
  role: v.picklist(roles),
  /** When it expires, Unix milliseconds. */
  until: timeForm,
  invitation: v.pipe(v.string(), v.regex(invitationPattern)),
});
export type Invitation = v.InferOutput<typeof invitationForm>;

export const joinForm = v.strictObject({
  hop: v.literal(hopVersion),
  invitation: v.pipe(v.string(), v.regex(invitationPattern)),
  desk: nameForm,
});

/** What a desk must know about its account. Nothing secret. */
export const accountForm = v.strictObject({
  hop: v.literal(hopVersion),
  version: v.string(),
  account: accountNameForm,
  member: nameForm,
  role: v.picklist(roles),
  /** When this desk's token expires, Unix milliseconds. */
  until: timeForm,
  /** Facts from the sender's profile. The service's address is only its origin, without a path. */
  origin: v.string(),
  /** Origin, vendor and mode in one line, as in the journal. */
  accountLine: v.string(),
  mode: v.picklist(modes),
  vendor: v.pipe(v.string(), v.regex(vendorPattern)),
  apiVersion: v.pipe(v.string(), v.regex(apiVersionPattern)),
  lang: v.nullable(v.pipe(v.string(), v.regex(langPattern))),
  settings: v.record(v.string(), v.string()),
  keyFingerprint: v.string(),
});
export type AccountFacts = v.InferOutput<typeof accountForm>;

export const joinedForm = v.strictObject({
  token: v.pipe(v.string(), v.regex(tokenPattern)),
  account: accountForm,
});
