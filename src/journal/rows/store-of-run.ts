/** The store of the journal as a run may use it: no key gets into a row, and a dry run writes none. */

import type { Secrets } from '../../terminal/terminal.ts';
import type { JournalStore } from './journal-store.ts';

/** The store without keys in what is added: a row may hold one that somebody typed, or that came from a file. (Keys in replies are masked before.) */
export function withoutKeys(
  store: JournalStore,
  secrets: Pick<Secrets, 'holds' | 'cleanJson'>,
): JournalStore {
  const cleaned = <Row extends object>(row: Row): Row => {
    const json = JSON.stringify(row);
    return secrets.holds(json) ? JSON.parse(secrets.cleanJson(json)) : row;
  };
  return {
    ...store,
    append: (row) => store.append(cleaned(row)),
    takeBack: (sent, verdict) => store.takeBack(sent, cleaned(verdict)),
    async rules() {
      const rules = await store.rules?.();
      return (
        rules && {
          ...rules,
          ask: (id, what) => rules.ask(id, cleaned(what)),
          decide: (id, step, how) => rules.decide(id, step, cleaned(how)),
        }
      );
    },
  };
}

/** The store under --dry-run: paydesk shows what a read proves, and does not write it down. */
export function unwritten(store: JournalStore): JournalStore {
  return {
    ...store,
    append: () => Promise.resolve(),
    takeBack: () => Promise.resolve(),
    eraseBodies: () => Promise.resolve(0),
  };
}
