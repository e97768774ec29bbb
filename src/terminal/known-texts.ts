/** Personal data that was seen, found again in texts as whole words, also where its end was cut off. */

/** What was seen so far. */
export interface KnownTexts {
  /** `shown`: what stands in its place. Short figures may be amounts, so they are left out. */
  add(value: string, shown: string): void;
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

export function createKnownTexts(): KnownTexts {
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
    add(value, shown) {
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
