/**
 * Masks personal data in all that leaves a run: names, e-mails, telephone numbers, addresses, last digits of cards, notes, and texts of
 * metadata. One rule for screens, files and software agents: what is not known to be harmless is masked.
 */

import { createHmac } from 'node:crypto';
import { isObject, type JsonObject } from '../api/json-values.ts';
import type { Secrets } from './secrets.ts';
import type { PrintedRecord } from './terminal.ts';
import type { AboutLine } from './workbook/workbook.ts';

/** How a masked value is written: initials for people, or a token that is the same for the same value in one run. */
type Written = 'initials' | 'token';

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
    'account account_type approved_by asked_by auth_code brand certain change_state code columns command commands currency description digest ' +
    'expected file filter format how issuer kind line meaning message next notes now operator origin outcome path period plan previous ' +
    'problem profile reason report sku state status summary terms title type unit url why words zone'
  ).split(' '),
);
// These are masked whatever they look like.
const personal = new Set(
  'buyer city email last4 metadata name note phone postal_code receiver street1 street2 zip'.split(' '),
);
const named = new Set(['buyer', 'name', 'receiver']);
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

/** A redaction that knows nobody yet. */
export function createRedaction(isOn: () => boolean): Redaction {
  const known = createKnown();
  const token = createTokens();
  const text = (given: string): string =>
    known.masked(given).replace(email, hidden).replace(phone, hidden).replace(card, `*${hidden}`);
  const learn = (value: unknown): void => {
    mapTexts(value, [], (one, at) => {
      if (isPersonal(at, one)) for (const form of [one, inJson(one)]) known.add(form, nameIn(at));
      return one;
    });
    for (const address of addressesIn(value)) known.add(address, 'address');
  };
  const masked = (value: JsonObject, written: Written): JsonObject => {
    learn(value);
    const of = written === 'token' ? token : shownAs;
    // The texts beside it may name the same people.
    return mapFields(value, [], (one, at) => text(isPersonal(at, one) ? of(one, nameIn(at)) : one));
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

function isPersonal(path: readonly string[], value: string): boolean {
  const name = nameIn(path);
  if (value === '') return false;
  if (path.includes('metadata') || name === 'reference') return !reference.test(value);
  // What was bought is named too.
  if (path.includes('line_items') && name === 'name') return false;
  if (personal.has(name)) return true;
  return !(harmless.has(name) || /(?:^|_)id$/.test(name) || plainWord.test(value));
}

type OfText = (text: string, path: readonly string[]) => string;

function mapTexts(value: unknown, path: readonly string[], of: OfText): unknown {
  if (typeof value === 'string') return of(value, path);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, path, of));
  return isObject(value) ? mapFields(value, path, of) : value;
}

function mapFields(record: JsonObject, path: readonly string[], of: OfText): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, one]) => [name, mapTexts(one, [...path, name], of)]),
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
    return JSON.stringify(mapTexts(JSON.parse(json), [], text)) + (json.endsWith('\n') ? '\n' : '');
  } catch {
    return text(json);
  }
}

/** Personal data that was seen, found again in texts as whole words. */
interface Known {
  add(value: string, name: string): void;
  masked(text: string): string;
}

interface Seen {
  readonly value: string;
  /** Where its first word begins. */
  readonly lead: number;
  readonly shown: string;
}

const words = /[\p{L}\p{N}]+/gu;
const letterOrDigit = /[\p{L}\p{N}]/u;

// What stands in a text: so many letters before its first word, and so many in all.
interface Found {
  readonly lead: number;
  readonly length: number;
  readonly shown: string;
}

function createKnown(): Known {
  const values = new Set<string>();
  const byWord = new Map<string, Seen[]>();
  const whole = (text: string, start: number, word: string): Found | undefined => {
    const found = byWord.get(word)?.find(({ value, lead }) => {
      const next = text[start - lead + value.length] ?? ' ';
      return start >= lead && text.startsWith(value, start - lead) && !letterOrDigit.test(next);
    });
    return found && { lead: found.lead, length: found.value.length, shown: found.shown };
  };
  // A value whose end was cut off.
  const begun = (text: string, start: number): Found | undefined => {
    const end = text.indexOf('…', start);
    const beginning = end === -1 ? '' : text.slice(start, end);
    if (beginning.length < 3) return undefined;
    const found = [...byWord.values()].flat().find(({ value, lead }) => value.startsWith(beginning, lead));
    return found && { lead: 0, length: beginning.length + 1, shown: found.shown };
  };
  return {
    add(value, name) {
      // A figure may be an amount, and a single small word anything.
      if (value.length < 3 || /^[\d .,]{1,6}$/.test(value) || values.has(value)) return;
      if (!personal.has(name) && plainWord.test(value)) return;
      values.add(value);
      const [first] = value.matchAll(words);
      if (first === undefined) return;
      const seen = { value, lead: first.index, shown: shownAs(value, name) };
      const same = [...(byWord.get(first[0]) ?? []), seen];
      byWord.set(
        first[0],
        same.toSorted((one, other) => other.value.length - one.value.length),
      );
    },
    masked(text) {
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
