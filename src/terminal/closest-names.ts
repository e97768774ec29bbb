/** Finds the known names that are spelled most like a mistyped one. Pure. */

// Up to this many edits count as a typing mistake.
const mostEdits = 2;
const mostNames = 3;

/** The known names that are most like this one, at most three, the closest first; none if no name is similar. */
export function closestNames<N extends string>(typed: string, names: readonly N[]): readonly N[] {
  const ranked = names
    .flatMap((name) => {
      const rank = rankOf(typed.toLowerCase(), name.toLowerCase());
      // Among names that are equally similar, nobody means the one deep inside a record.
      return rank === undefined ? [] : [{ name, rank: rank + 2 * (name.split('.').length - 1) }];
    })
    .toSorted((a, b) => a.rank - b.rank);
  const closest = ranked.filter(({ rank }) => rank === ranked[0]?.rank).map(({ name }) => name);
  return [...new Set(closest)].slice(0, mostNames);
}

/** Whether a word is this one, or this one mistyped. */
export function isTypedLike(typed: string, word: string): boolean {
  return editsBetween(typed, word) <= Math.min(mostEdits, Math.floor(typed.length / 3));
}

// How far a name is from what was typed. 0: the same apart from case and separators. 1, 2: letters differ. 3: the last part of the
// path is the same. 4: one is part of the other.
function rankOf(typed: string, name: string): number | undefined {
  const [a, b] = [typed, name].map((text) => text.replaceAll(/[._\- ]/g, ''));
  if (a === undefined || b === undefined || a === '') return undefined;
  const distance = editsBetween(a, b);
  if (distance <= Math.min(mostEdits, Math.floor(a.length / 3))) return distance;
  if (lastPart(name) === lastPart(typed)) return 3;
  if (a.length < 4) return undefined;
  return b.includes(a) || (b.length >= 4 && a.includes(b)) ? 4 : undefined;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** How many letters must be added, removed, changed or swapped with their neighbour. Infinity if there are clearly too many. */
export function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostEdits) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
