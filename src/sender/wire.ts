/** The hop between a desk and its sender: paths, headers, sizes, and the forms of what both sides send. Both import this. */

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
import type { RefusalCode } from '../refusal-codes.ts';

/** The version of the hop. A sender and a desk of different versions say so, and do nothing else. */
export const hopVersion = 1;

/** What a member may do. Each role may do what those before it may, but a proposer and a viewer release nothing. */
export const roles = ['viewer', 'proposer', 'operator', 'lead'] as const;
export type Role = (typeof roles)[number];

/** Whether a role may do what another role may. */
export function mayAct(role: Role, as: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(as);
}

// ── Paths and headers ───────────────────────────────────────────────────────────────────────────

/** What an account is called at its sender: the name of the sender's own profile. It is one segment of a path as it is. */
export const accountNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Paths of the hop. `account` matches `accountNamePattern`, `id` matches `changeIdPattern`. */
export const hopPaths = {
  health: '/health',
  join: '/v1/join',
  account: (account: string) => `/v1/account/${account}`,
  /** What is behind it are documented GETs of the service (service: Endpoints 2). */
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

/** Headers of the hop, in lower case. `authorization` is `Bearer TOKEN`. */
export const hopHeaders = {
  /** In every request: the name of the machine, percent-encoded. */
  desk: 'paydesk-desk',
  /** In every request: the mode that the profile of the desk says. */
  mode: 'paydesk-mode',
  /** In every reply: the version of the hop. */
  version: 'paydesk-hop',
  /** In a reply of the sender itself that is an error (`errorForm`), and never in one of the service. */
  error: 'paydesk-error',
} as const;

/** The media types of bodies: one JSON value, or one JSON value in each line. */
export const mediaTypes = { json: 'application/json', lines: 'application/x-ndjson' } as const;

// ── Sizes ───────────────────────────────────────────────────────────────────────────────────────

/** The largest bodies of requests, in bytes. A larger one gets 413 before it is read. */
export const maxBytes = {
  join: 4096,
  question: 256 * 1024,
  change: 256 * 1024,
  plan: 16 * 1024 * 1024,
} as const;

/** The longest texts in requests, in characters. */
export const maxText = { name: 63, note: 2000, line: 500, id: 200 } as const;

/** A text of people or of the service, bounded, without control characters. */
export function text(max: number) {
  return v.pipe(
    v.string(),
    v.maxLength(max),
    v.regex(/^[^\u0000-\u0008\u000b-\u001f\u007f]*$/u, 'holds a control character'),
  );
}

/** An id, whatever it is of. */
export const idForm = text(maxText.id);
export const orderIdForm = v.pipe(v.string(), v.regex(orderIdPattern));
export const chargeIdForm = v.pipe(v.string(), v.regex(chargeIdPattern));
/** An amount in the service's integers. */
export const unitsForm = v.pipe(v.number(), v.safeInteger());
/** The digest of a plan. */
export const digestForm = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** A name of a member or of a desk. */
export const nameForm = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}$/u));
const accountName = v.pipe(v.string(), v.regex(accountNamePattern));
/** Unix milliseconds. */
export const timeForm = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What a desk sends with every hand-over: its name for the account (for commands in errors) and its time zone. */
export const deskFields = { profile: text(maxText.name), zone: v.optional(text(64)) };
/** How long one request of the service may take. */
export const timeoutForm = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(600_000));

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

const kinds = Object.keys(exitCodes) as ErrorKind[];
const lines = v.array(text(4000));

// Everything of CliErrorParts but `cause` and `data`: these stay where the error was made.
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

/** A CliError on its way to a desk. It was worded at the sender, with the desk's own profile. */
export const refusedForm = v.strictObject({
  kind: v.picklist(kinds),
  message: v.string(),
  parts: partsForm,
});
type WireError = v.InferOutput<typeof refusedForm>;

/** The body of every reply of the sender that is an error. */
export const errorForm = v.strictObject({ error: refusedForm });

/** An error as it travels. `cause` and `data` stay behind; one that is no CliError is a bug, and tells nobody what it holds. */
export function errorToWire(error: unknown): WireError {
  if (!(error instanceof CliError))
    return { kind: 'internal', message: 'the sender met an error', parts: {} };
  const { cause: _cause, data: _data, ...parts } = error.parts;
  // Through JSON, so that what is undefined is absent.
  return v.parse(
    refusedForm,
    JSON.parse(JSON.stringify({ kind: error.kind, message: error.message, parts })),
  );
}

/** The error that the sender threw. */
export function errorFromWire({ kind, message, parts }: WireError): CliError {
  return new CliError(kind, message, parts as CliErrorParts);
}

// ── Joining ─────────────────────────────────────────────────────────────────────────────────────

/** The form of a token: a public id, and a secret of 256 bits. */
export const tokenPattern = /^pdt_([a-z0-9]{10})_([A-Za-z0-9_-]{43})$/;
/** The form of an invitation's secret. */
export const invitationPattern = /^pdi_([a-z0-9]{10})_([A-Za-z0-9_-]{43})$/;

/** What `sender invite` prints and `profile add --sender` takes. The secret in it works once. */
export const invitationForm = v.strictObject({
  object: v.literal('paydesk_invitation'),
  /** The address of the sender: `https://sender.example:8443`. */
  sender: v.pipe(v.string(), v.url()),
  account: accountName,
  member: nameForm,
  role: v.picklist(roles),
  /** Until when it can be used, Unix milliseconds. */
  until: timeForm,
  invitation: v.pipe(v.string(), v.regex(invitationPattern)),
});
export type Invitation = v.InferOutput<typeof invitationForm>;

export const joinForm = v.strictObject({
  hop: v.literal(hopVersion),
  invitation: v.pipe(v.string(), v.regex(invitationPattern)),
  /** The name of the machine. */
  desk: nameForm,
});

/** What a desk must know of its account. Nothing in it is secret. */
export const accountForm = v.strictObject({
  hop: v.literal(hopVersion),
  /** The version of the sender's paydesk. */
  version: v.string(),
  account: accountName,
  member: nameForm,
  role: v.picklist(roles),
  /** Until when the token of this desk can be used, Unix milliseconds. */
  until: timeForm,
  /** Facts of the sender's profile. The address of the service is its origin alone, without path. */
  origin: v.string(),
  /** Origin, vendor and mode in one line, as the journal knows the account. */
  accountLine: v.string(),
  mode: v.picklist(modes),
  vendor: v.pipe(v.string(), v.regex(vendorPattern)),
  apiVersion: v.pipe(v.string(), v.regex(apiVersionPattern)),
  lang: v.nullable(v.pipe(v.string(), v.regex(langPattern))),
  /** Settings as their texts. */
  settings: v.record(v.string(), v.string()),
  keyFingerprint: v.string(),
});
export type AccountFacts = v.InferOutput<typeof accountForm>;

export const joinedForm = v.strictObject({
  token: v.pipe(v.string(), v.regex(tokenPattern)),
  account: accountForm,
});
