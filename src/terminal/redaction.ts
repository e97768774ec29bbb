/**
 * Masks personal data in everything that leaves a run. One rule for screens, files and software agents: a text of the service
 * stays visible only if its field is documented and the text has the form of that field (masked-fields.ts). What paydesk says
 * itself stays visible, except for the personal data that it repeats.
 */

import { createHmac } from 'node:crypto';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { CliError, type CliErrorParts } from '../errors.ts';
import type { AboutLine } from './list-workbook.ts';
import { fieldsIn, isMachines, type Place, passes, placeOfItems } from './masked-fields.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';

/** How a masked value is written: initials for people, or a token that is the same for the same value in one run. */
export type Written = 'initials' | 'token';

/** Keys of metadata that a person or a profile named, so they are not secret. */
interface NamedKeys {
  /** Keys whose values are the shop's own number, which stays visible. */
  readonly reference: readonly string[];
  /** Keys whose names stay visible, as columns. */
  readonly columns: readonly string[];
}

const noKeys: NamedKeys = { reference: [], columns: [] };
// The texts of these fields are searched for in other texts, however short they are. In other fields, words in small letters and
// short figures may come from paydesk too.
const soughtAlways = new Set(
  'brand buyer city debug_message email id issuer last4 livemode message name note phone receiver street1 street2 type'.split(
    ' ',
  ),
);
const named = new Set(['buyer', 'name', 'receiver']);
const smallWord = /^(?:[a-z]+(?:_[a-z]+)*|[-+]?[\d.,:%-]{1,6}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[-+]\d\d:\d\d)?)$/;
const email = /[^\s@<>"',;]+@[^\s@<>"',;]+\.\p{L}{2,}/gu;
const phone = /\+\d[\d ().-]{6,}\d/g;
const card = /\*\d{4}\b/g;
// The bank's reference of one payment. Only the word before it distinguishes it from an amount.
const authCode = /(?<=\bauth(?: codes?,?| \S+ and)? )(?=[A-Za-z]*\d)[A-Za-z0-9]{4,}/gi;
const hidden = '***';

export type Redaction = ReturnType<typeof createRedaction>;

/** A redaction that knows nobody yet. */
export function createRedaction(isOn: () => boolean, keys: () => NamedKeys = () => noKeys) {
  const known = createKnownTexts();
  const token = createTokens();
  const text = (given: string): string =>
    known
      .masked(given)
      .replace(email, hidden)
      .replace(phone, hidden)
      .replace(card, `*${hidden}`)
      .replace(authCode, hidden);
  const said = (given: string): string => (isOn() ? text(given) : given);
  const learnAs = (value: unknown, place: Place): void => {
    const seek = (one: string, name: string): string => {
      if (soughtAlways.has(name) || (one.length > 2 && !smallWord.test(one)))
        for (const form of [one, inJson(one), inCapitals(one)]) known.add(form, shownAs(one, name));
      return one;
    };
    walk(value, '', place, { keys: keys(), hide: seek, say: (said) => said });
    for (const address of addressesIn(value)) known.add(address, hidden);
  };
  const record = ({ value, bytes, columnsFrom }: PrintedRecord, written: Written): PrintedRecord => {
    const place = bytes === undefined ? 'own' : 'record';
    learnAs(value, place);
    const hide = written === 'token' ? token : shownAs;
    // Texts by paydesk may name the same people.
    const masked = (one: JsonObject): JsonObject =>
      walkObject(one, '', place, { keys: keys(), hide, say: text });
    return {
      value: masked(value),
      ...(columnsFrom === undefined ? {} : { columnsFrom: masked(columnsFrom) }),
    };
  };
  return {
    /** Whether anything is masked. Masking may begin late, when a profile is opened. */
    isOn,
    /** Remembers the personal data of a record, which texts are searched for from now on. */
    learn: (value: unknown) => learnAs(value, 'own'),
    /** Remembers the personal data of a reply. */
    learnBody(body: Uint8Array) {
      const received = new TextDecoder().decode(body);
      try {
        const value: unknown = JSON.parse(received);
        learnAs(value, 'record');
        // An error in a form that is not documented is printed as it is.
        if (!isObject(value) || fieldsIn(value, 'record').known.object === undefined)
          known.add(received.trim().replace(/\s+/g, ' '), hidden);
      } catch {
        // A reply that is not JSON is not a record.
      }
    },
    /** The record without personal data, which is remembered for texts. The same record while nothing is masked. */
    record: (given: PrintedRecord, written: Written) =>
      !isOn() || isMachines(given) ? given : record(given, written),
    /** The error without what the service says in its own words. Its code and type stay. The same error while nothing is masked. */
    error: (error: CliError) => (isOn() ? errorMasked(error, text) : error),
    /** The text without the personal data that is known, and without what looks like an e-mail, a telephone number or a card. */
    text,
    /** A text for a file, as `text` gives it; the same text while nothing is masked. */
    said,
    // The typed command is hidden, because it may name anybody.

    /** The lines that a workbook says about itself, such as the command that was typed. */
    about: (lines: readonly AboutLine[]): readonly AboutLine[] =>
      lines.map(([name, one]) => {
        if (name === 'command' && isOn()) return [name, hidden];
        return [name, typeof one === 'string' ? said(one) : one];
      }),
    /**
     * Keeps keys out of texts, and personal data too while `isOn`, or always with `always`. Without `stream`, what is written piece
     * by piece is only searched for keys: its rows were masked before.
     */
    over: (secrets: Secrets, { always = false, stream = true } = {}) =>
      over(secrets, text, { masks: () => always || isOn(), stream }),
  };
}

interface Over {
  readonly masks: () => boolean;
  readonly stream: boolean;
}

function over(secrets: Secrets, text: (given: string) => string, { masks, stream }: Over): Secrets {
  const last = (piece: string): string => (masks() ? text(piece) : piece);
  return {
    ...secrets,
    clean: (given) => last(secrets.clean(given)),
    cleanJson(json) {
      const without = secrets.cleanJson(json);
      return masks() ? jsonMasked(without, text) : without;
    },
    filter() {
      const filter = secrets.filter();
      if (!stream) return filter;
      return {
        push(piece) {
          const rest = filter.push(piece);
          return typeof rest === 'string' ? last(rest) : rest;
        },
        end: () => last(filter.end()),
      };
    },
  };
}

interface Walk {
  readonly keys: NamedKeys;
  /** What replaces a value that is masked, or the name of a field. */
  readonly hide: (value: string, name: string) => string;
  /** What is printed for a text that stays visible. */
  readonly say: (text: string) => string;
}

// Keeps the form of a value. A figure that is masked becomes a text.
function walk(value: unknown, name: string, place: Place, how: Walk): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => walk(one, name, placeOfItems(place), how));
  if (isObject(value)) return walkObject(value, name, place, how);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  if (!passes(value, name, place)) return how.hide(String(value), name);
  return typeof value === 'string' ? how.say(value) : value;
}

function walkObject(value: JsonObject, name: string, place: Place, how: Walk): JsonObject {
  const { known, others } = fieldsIn(value, place);
  const { reference, columns } = name === 'metadata' ? how.keys : noKeys;
  return Object.fromEntries(
    Object.entries(value).map(([key, one], index) => {
      const inside = reference.includes(key) ? 'reference' : Object.hasOwn(known, key) ? known[key] : others;
      const isShown = inside !== undefined || place === 'input' || columns.includes(key);
      return [isShown ? key : keyHidden(key, index, how), walk(one, key, inside, how)];
    }),
  );
}

// The masked name of a field. It gets a number, because two names must not become one.
function keyHidden(key: string, index: number, { hide }: Walk): string {
  const shown = hide(key, '');
  return shown === hidden ? `${hidden}${index + 1}` : shown;
}

// The text as it is written in the JSON of a request.
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// A word of the service as reports write it: `Some Brand` for `some_brand`.
function inCapitals(text: string): string {
  return text.replace(
    /(^|_)(\p{Ll})/gu,
    (_, gap: string, letter: string) => `${gap === '' ? '' : ' '}${letter.toUpperCase()}`,
  );
}

// An address in one line, as a screen shows it: a part alone may be a number that is an amount elsewhere.
function addressesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (!isObject(value)) return [];
  const inside = Object.values(value).flatMap(addressesIn);
  const { address } = value;
  if (!isObject(address)) return inside;
  const parts = Object.entries(address).flatMap(([name, one]) =>
    typeof one === 'string' && name !== 'object' ? [one] : [],
  );
  return parts.length < 2 ? inside : [...inside, parts.join(', ')];
}

// `Ana Torres` is `A. T.`
function shownAs(value: string, name: string): string {
  if (!named.has(name)) return hidden;
  const initials = value.match(/(?<![\p{L}\p{N}])\p{L}/gu)?.slice(0, 3) ?? [];
  return initials.length === 0 ? hidden : initials.map((letter) => `${letter}.`).join(' ');
}

// The key is made with the first token and thrown away with the run.
function createTokens(): (value: string) => string {
  let key: Uint8Array | undefined;
  return (value) => {
    key ??= crypto.getRandomValues(new Uint8Array(32));
    return `masked-${createHmac('sha256', key).update(value).digest('hex').slice(0, 12)}`;
  };
}

// Only an error of the service has an HTTP status; the details of others are paydesk's own words.
function errorMasked(error: CliError, text: (given: string) => string): CliError {
  const { details = [], httpStatus, type, code, logId, cause, ...rest } = error.parts;
  if (httpStatus === undefined) return error;
  const said = details.flatMap(({ message, debugMessage }) => [message ?? [], debugMessage ?? []].flat());
  const without = (given: string): string =>
    text(said.reduce((left, one) => (one === '' ? left : left.replaceAll(one, hidden)), given));
  const formed = (name: string, value: string | undefined): string | undefined =>
    value === undefined || passes(value, name, 'text') ? value : hidden;
  const parts: CliErrorParts = {
    ...rest,
    httpStatus,
    type: formed('type', type),
    code: formed('code', code),
    logId: formed('log_id', logId),
    now: (rest.now ?? []).map(without),
    ...(cause instanceof CliError ? { cause: errorMasked(cause, text) } : {}),
    details: details.map((one) => ({
      message: one.message === undefined ? undefined : hidden,
      debugMessage: one.debugMessage === undefined ? undefined : hidden,
      code: formed('code', one.code),
      param: formed('param', one.param),
    })),
  };
  return new CliError(error.kind, without(error.message), parts);
}

function jsonMasked(json: string, text: (given: string) => string): string {
  try {
    const masked: unknown = JSON.parse(json, (_, value: unknown) =>
      typeof value === 'string' ? text(value) : value,
    );
    return JSON.stringify(masked) + (json.endsWith('\n') ? '\n' : '');
  } catch {
    return text(json);
  }
}

interface Seen {
  readonly value: string;
  /** Where its first word begins. */
  readonly lead: number;
  readonly shown: string;
}

const words = /[\p{L}\p{N}]+/gu;
const letterOrDigit = /[\p{L}\p{N}]/u;

// Where a value was found: how many letters come before its first word, and how many it has in all.
interface Found {
  readonly lead: number;
  readonly length: number;
  readonly shown: string;
}

// Personal data that was seen, found again in texts as whole words, also where its end was cut off.
function createKnownTexts() {
  const values = new Set<string>();
  const byWord = new Map<string, Seen[]>();
  const whole = (text: string, start: number, word: string): Found | undefined => {
    const found = byWord.get(word)?.find(({ value, lead }) => {
      const next = text[start - lead + value.length] ?? ' ';
      return start >= lead && text.startsWith(value, start - lead) && !letterOrDigit.test(next);
    });
    return found && { lead: found.lead, length: found.value.length, shown: found.shown };
  };
  // Finds a value whose end was cut off.
  const begun = (text: string, start: number): Found | undefined => {
    const end = text.indexOf('…', start);
    const beginning = end === -1 ? '' : text.slice(start, end);
    if (beginning.length < 3) return undefined;
    const found = [...byWord.values()].flat().find(({ value, lead }) => value.startsWith(beginning, lead));
    return found && { lead: 0, length: beginning.length + 1, shown: found.shown };
  };
  return {
    /** `shown`: what is printed in its place. Short figures may be amounts, so they are left out. */
    add(value: string, shown: string) {
      if (/^[\d .,]{1,6}$/.test(value) || values.has(value)) return;
      values.add(value);
      const [first] = value.matchAll(words);
      if (first === undefined) return;
      const seen = { value, lead: first.index, shown };
      const same = [...(byWord.get(first[0]) ?? []), seen];
      byWord.set(
        first[0],
        same.toSorted((one, other) => other.value.length - one.value.length),
      );
    },
    masked(text: string) {
      if (byWord.size === 0) return text;
      let out = '';
      let done = 0;
      for (const { 0: word, index } of text.matchAll(words)) {
        const found = index < done ? undefined : (whole(text, index, word) ?? begun(text, index));
        if (found === undefined || index - found.lead < done) continue;
        out += text.slice(done, index - found.lead) + found.shown;
        done = index - found.lead + found.length;
      }
      return out + text.slice(done);
    },
  };
}
