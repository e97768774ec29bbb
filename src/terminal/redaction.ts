/**
 * Masks personal data in all that leaves a run: names, e-mails, telephone numbers, addresses, last digits of cards, notes, and texts of
 * metadata. One rule for screens, files and software agents: what is not known to be harmless is masked.
 */

import { createHmac } from 'node:crypto';
import { isObject, type JsonObject } from '../api/json-values.ts';
import { createKnownTexts } from './known-texts.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';
import type { AboutLine } from './workbook/workbook.ts';

/** How a masked value is written: initials for people, or a token that is the same for the same value in one run. */
export type Written = 'initials' | 'token';

export interface Redaction {
  /** Whether anything is masked. It may begin late, when a profile is opened. */
  readonly isOn: () => boolean;
  /** Remembers the personal data of a record, which texts are searched for from now on. */
  learn(value: unknown): void;
  /** Remembers that of a reply. */
  learnBody(body: Uint8Array): void;
  /** The record without personal data, which is remembered for texts. The same record while nothing is masked. */
  record(record: PrintedRecord, written: Written): PrintedRecord;
  /** The lines that a workbook says of itself, such as the command that was typed. */
  about(lines: readonly AboutLine[]): readonly AboutLine[];
  /** The text without the personal data that is known, and without what looks like an e-mail, a telephone number or a card. */
  text(text: string): string;
  /**
   * Keeps keys out of texts, and personal data too while `isOn`, or always with `always`. Without `stream` what is written piece by
   * piece is only searched for keys: its rows were masked before.
   */
  over(secrets: Secrets, how?: { readonly always?: boolean; readonly stream?: boolean }): Secrets;
}

// Texts of the service and of paydesk that are about no person. Texts of other fields are masked, but for single words in small
// letters, ids, figures and times.
const harmless = new Set(
  (
    'account account_type approved_by asked_by auth_code brand certain change_state charges code columns command commands currency digest ' +
    'expected file filter format how issuer kind line meaning message method next notes now operator origin outcome path period plan previous ' +
    'problem profile reason refunds report sku state status summary terms title type unit url why words zone'
  ).split(' '),
);
// These are masked whatever they look like.
const personal = new Set(
  'buyer city email last4 metadata name note phone postal_code receiver street1 street2 zip'.split(' '),
);
const named = new Set(['buyer', 'name', 'receiver']);
// So are figures under such names, which no documented field of the service has.
const personalFigure =
  /(?:^|_)(?:phone|tel|mobile|msisdn|e?mail|zip|postal|birth|curp|rfc|clabe|iban|lat|lon|latlon)(?:_|$)/i;
// Everything in these parts of an order is about the buyer, except the type of the part and the country.
const personalParts = new Set(['metadata', 'antifraud_info', 'address']);
const ofPart = new Set(['object', 'country']);
// Records about paydesk itself and this machine.
const ofMachine =
  /^(?:profile|simulator|index|sender|member|team|journal_|setting|export_|proof_|report_file|paydesk)/;
const plainWord =
  /^(?:[a-z]+(?:_[A-Za-z0-9]+)*|[-+]?[\d.,:%-]+|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[-+]\d\d:\d\d))?|[A-Z]{2,3})$/;
// What the shop calls a sale: `A-10023`.
const reference = /^[A-Z]{0,4}[-#]?\d{1,9}$/;
const email = /[^\s@<>"',;]+@[^\s@<>"',;]+\.\p{L}{2,}/gu;
const phone = /\+\d[\d ().-]{6,}\d/g;
const card = /\*\d{4}\b/g;
const hidden = '***';

/** A redaction that knows nobody yet. `referenceKeys`: the metadata that holds the shop's own number, which stays. */
export function createRedaction(
  isOn: () => boolean,
  referenceKeys: () => readonly string[] = () => [],
): Redaction {
  const known = createKnownTexts();
  const token = createTokens();
  const text = (given: string): string =>
    known.masked(given).replace(email, hidden).replace(phone, hidden).replace(card, `*${hidden}`);
  const personalAt: Personal = (at, value) => isPersonal(at, value, referenceKeys());
  const learn = (value: unknown): void => {
    mapTexts(value, [], personalAt, (one, at) => {
      const name = nameIn(at);
      // A single small word may be anything.
      if (personalAt(at, one) && (personal.has(name) || !plainWord.test(one)))
        for (const form of [one, inJson(one)]) known.add(form, shownAs(one, name));
      return one;
    });
    for (const address of addressesIn(value)) known.add(address, hidden);
  };
  const masked = (value: JsonObject, written: Written): JsonObject => {
    learn(value);
    const of = written === 'token' ? token : shownAs;
    // The texts beside it may name the same people.
    return mapFields(value, [], personalAt, (one, at) =>
      text(personalAt(at, one) ? of(one, nameIn(at)) : one),
    );
  };
  return {
    isOn,
    learn,
    learnBody(body) {
      try {
        learn(JSON.parse(new TextDecoder().decode(body)));
      } catch {
        // A reply that is no JSON is no record.
      }
    },
    record(record, written) {
      const { value, columnsFrom } = record;
      if (!isOn() || isOfMachine(value.object)) return record;
      return {
        value: masked(value, written),
        ...(columnsFrom === undefined ? {} : { columnsFrom: masked(columnsFrom, written) }),
      };
    },
    text,
    about: (lines) =>
      lines.map(([name, said]) => [name, typeof said === 'string' && isOn() ? text(said) : said]),
    over(secrets, { always = false, stream = true } = {}) {
      const masks = () => always || isOn();
      const clean = (given: string): string => {
        const without = secrets.clean(given);
        return masks() ? text(without) : without;
      };
      return {
        ...secrets,
        clean,
        cleanJson(json) {
          const without = secrets.cleanJson(json);
          return masks() ? jsonMasked(without, text) : without;
        },
        filter() {
          const filter = secrets.filter();
          if (!stream) return filter;
          const last = (piece: string): string => (masks() ? text(piece) : piece);
          return {
            push(piece) {
              const rest = filter.push(piece);
              return typeof rest === 'string' ? last(rest) : rest;
            },
            end: () => last(filter.end()),
          };
        },
      };
    },
  };
}

function isOfMachine(object: unknown): boolean {
  return typeof object === 'string' && ofMachine.test(object);
}

type Personal = (path: readonly string[], value: string | number | bigint) => boolean;

function isPersonal(
  path: readonly string[],
  value: string | number | bigint,
  referenceKeys: readonly string[],
): boolean {
  const name = nameIn(path);
  if (value === '') return false;
  const isNumber = typeof value !== 'string';
  if (name === 'reference' || (path.at(-2) === 'metadata' && referenceKeys.includes(name)))
    return !reference.test(String(value));
  if (path.some((part) => personalParts.has(part))) return !ofPart.has(name);
  if (isNumber) return personalFigure.test(name);
  // What was bought is named too.
  if (path.includes('line_items') && name === 'name') return false;
  if (personal.has(name) || personalFigure.test(name)) return true;
  return !(harmless.has(name) || /(?:^|_)id$/.test(name) || plainWord.test(value));
}

type OfText = (text: string, path: readonly string[]) => string;

// Texts, and figures that are personal, which become texts.
function mapTexts(value: unknown, path: readonly string[], personalAt: Personal, of: OfText): unknown {
  if (typeof value === 'string') return of(value, path);
  if (typeof value === 'number' || typeof value === 'bigint')
    return personalAt(path, value) ? of(String(value), path) : value;
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, path, personalAt, of));
  return isObject(value) ? mapFields(value, path, personalAt, of) : value;
}

function mapFields(
  record: JsonObject,
  path: readonly string[],
  personalAt: Personal,
  of: OfText,
): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, one]) => [
      // A shop may name its metadata after a person.
      path.includes('metadata') && !/^[\w.-]+$/.test(name) ? of(name, [...path, name]) : name,
      mapTexts(one, [...path, name], personalAt, of),
    ]),
  );
}

function nameIn(path: readonly string[]): string {
  return path.at(-1) ?? '';
}

// As it stands in the text of a request.
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// An address in one line, as a screen shows it: its parts alone may be a number that is an amount elsewhere.
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

function jsonMasked(json: string, text: (given: string) => string): string {
  try {
    return (
      JSON.stringify(mapTexts(JSON.parse(json), [], () => false, text)) + (json.endsWith('\n') ? '\n' : '')
    );
  } catch {
    return text(json);
  }
}
