/** Checks a journal on a server: every row and its chain, this sender's copy, and which changes the rows leave open. */

import { verdictsIn } from '../rows/archived-rows.ts';
import { chainStart, checkChain, type StoredRow, storedColumns, storedRow, written } from '../rows/chain.ts';
import { attemptKey } from '../rows/journal-rows.ts';
import { type Finding, newestMissing, type Verification } from '../rows/journal-store.ts';
import { lockName } from '../same-account.ts';
import { aboutOf } from '../sqlite/journal-columns.ts';
import type { CopiedJournal } from '../sqlite/sqlite-store.ts';
import type { Found, Server } from './server.ts';

/** Rows per read. */
export const pageMax = 1000;

const pageText = `select ${storedColumns.join(', ')} from paydesk.rows where seq > $1 order by seq limit ${pageMax}`;

export function rowIn(found: Found): StoredRow {
  return storedRow({
    ...found,
    seq: Number(found.seq),
    time: Number(found.time),
    attempt: Number(found.attempt),
  });
}

/** An attempt without a verdict: the number of its SENT row, and the name of its lock. */
interface OpenChange {
  readonly sent: number;
  readonly name: string;
}

/** Reads rows in order, and knows which attempts have no verdict. */
class OpenChanges {
  readonly #open = new Map<string, OpenChange>();

  read(stored: StoredRow): void {
    if (stored.type !== 'sent' && stored.type !== 'verdict') return;
    const row = written(stored);
    if (row.type === 'verdict') this.#open.delete(attemptKey(row));
    if (row.type === 'sent' && verdictsIn(row).length === 0)
      this.#open.set(attemptKey(row), { sent: stored.seq, name: lockName(row, aboutOf(row)) });
  }

  get all(): readonly OpenChange[] {
    return [...this.#open.values()];
  }
}

/** The attempts without a verdict in a copy. */
export async function openIn(copy: Pick<CopiedJournal, 'rowsAfter'>): Promise<readonly OpenChange[]> {
  const open = new OpenChanges();
  for (let at = 0; ; ) {
    const rows = await copy.rowsAfter(at, pageMax);
    for (const row of rows) open.read(row);
    const last = rows.at(-1)?.seq;
    if (last === undefined) return open.all;
    at = last;
  }
}

/** Reads every row of the server. Damage is a finding, not an error. `head`: a hash noted elsewhere; `now`: Unix milliseconds. */
export async function verifyServer(
  { server, copy }: { readonly server: Server; readonly copy: CopiedJournal },
  head: string | undefined,
  now: number | undefined,
): Promise<Verification> {
  const findings: Finding[] = [];
  const open = new OpenChanges();
  let [rows, settings, at, last, knowsHead] = [0, 0, 0, chainStart, head === chainStart];
  let noted = await notedBy(server, copy);
  for (;;) {
    const page = (await server.ask(pageText, [at])).map(rowIn);
    if (page.length === 0) {
      const { seq } = noted;
      noted = await notedBy(server, copy);
      // Other senders go on: what is noted belongs to these rows only if nothing was added meanwhile.
      if (noted.seq === seq) break;
      continue;
    }
    const chain = checkChain(page, at, last);
    const own = await copy.rowsAfter(at, page.length);
    const known = new Map(own.map((row) => [row.seq, row.hash]));
    const isOther = ({ seq, hash }: StoredRow) => known.has(seq) && known.get(seq) !== hash;
    findings.push(
      ...chain.findings,
      ...page.filter(isOther).map(({ seq }) => ({ seq, problem: 'differs from the copy of this sender' })),
    );
    if (chain.findings.length === 0) for (const row of page) open.read(row);
    rows += page.length;
    settings += page.filter(({ type }) => type === 'setting').length;
    knowsHead ||= page.some(({ hash }) => hash === head);
    [at, last] = [chain.seq, chain.head];
  }
  findings.push(...endFindings(noted, { seq: at, head: last }));
  if (findings.length === 0) findings.push(...openFindings(noted.open, open.all));
  const ofCopy = await copy.verify(undefined, findings.length === 0 ? now : undefined);
  const problems = ofCopy.findings.map(({ seq, problem }) => ({
    seq: 0,
    problem: `the copy of this sender: ${seq === 0 ? '' : `row ${seq} `}${problem}`,
  }));
  return {
    rows,
    settings,
    head: last,
    findings: [...findings, ...problems],
    knowsHead: head === undefined ? undefined : knowsHead,
    witness: ofCopy.witness,
  };
}

const notedText = `select head.seq, head.hash, open.sent, open.name
  from paydesk.head left join paydesk.open_changes open on true`;

// What the server has noted about its rows, as of one moment. The copy is asked before that, since it follows the server.
async function notedBy(server: Server, copy: CopiedJournal) {
  const { seq: copied } = await copy.newestRow();
  const found = await server.ask(notedText);
  const open = found.filter(({ sent }) => sent !== null);
  return { seq: Number(found[0]?.seq ?? 0), hash: found[0]?.hash, open, copied };
}

type Noted = Awaited<ReturnType<typeof notedBy>>;

function endFindings(noted: Noted, end: { readonly seq: number; readonly head: string }): readonly Finding[] {
  const { copied } = noted;
  const problem = 'is missing on the server; the copy of this sender has it';
  return [...newestMissing(end, noted), ...(copied <= end.seq ? [] : [{ seq: copied, problem }])];
}

// Compares the table of open changes with the rows.
function openFindings(listed: readonly Found[], derived: readonly OpenChange[]): readonly Finding[] {
  const left = new Map(derived.map(({ sent, name }) => [sent, name]));
  const wrong = listed.filter(({ sent, name }) => {
    const isRight = left.get(Number(sent)) === name;
    left.delete(Number(sent));
    return !isRight;
  });
  return [
    ...wrong.map(({ sent }) => ({
      seq: Number(sent),
      problem: 'is listed as open, but not by the rows',
    })),
    ...[...left.keys()].map((seq) => ({ seq, problem: 'is open by the rows, but not listed as open' })),
  ];
}
