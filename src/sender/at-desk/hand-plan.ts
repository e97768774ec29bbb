/** Hands a plan to the sender and follows it, even if the connection breaks. */

import { CliError } from '../../errors.ts';
import type { HandedPlan, HowWorked, PlanSender, RowTold, Worked } from '../../plans/plans.ts';
import { commandLine } from '../../profiles/profiles.ts';
import type { EndLine, Line } from '../change-wire.ts';
import { applyingForm, type PlanRun, workedFromWire } from '../change-wire.ts';
import { errorFromWire, hopPaths } from '../wire.ts';
import { type DeskParts, notHandedOver } from './hand-over.ts';
import { refuseTooLarge } from './remote-store.ts';

// A killed sender restarts within this many tries.
const tries = 8;
const pauseMs = 300;
const longestPauseMs = 8_000;

/** Connects on first use. */
export function createPlanSender(parts: DeskParts): PlanSender {
  const { hop, account } = parts;
  return {
    work: (plan, how, tell) => new Watch(parts, plan, tell).work(headOf(parts, plan, how)),
    async applying(digest) {
      const request = { method: 'GET', path: hopPaths.plan(account, digest) } as const;
      return (await hop.ask(request, applyingForm)).answer ?? undefined;
    },
  };
}

function headOf(
  { profile, zone, timeoutMs }: DeskParts,
  { digest, rows, sums }: HandedPlan,
  how: HowWorked,
): PlanRun {
  const run = `u_${crypto.randomUUID().replaceAll('-', '')}`;
  const shown = sums.map(({ currency, amount }) => ({ currency, amount }));
  return { run, digest, rows, sums: shown, profile: profile.name, zone: zone(), timeoutMs, ...how };
}

class Watch {
  readonly #parts: DeskParts;
  readonly #plan: HandedPlan;
  readonly #tell: (row: RowTold) => void;
  readonly #told = new Set<number>();
  /** Rows sent since the hand-over: a restarted sender knows only its own. */
  #sent = 0;
  #mayHaveArrived = false;
  #why = '';
  #said = '';

  constructor(parts: DeskParts, plan: HandedPlan, tell: (row: RowTold) => void) {
    this.#parts = parts;
    this.#plan = plan;
    this.#tell = tell;
  }

  async work(head: PlanRun): Promise<Worked> {
    const { hop, account, stopWaiting, leave, clock, startChange, changed } = this.#parts;
    refuseTooLarge(this.#plan.text);
    const at = clock.now();
    // Until the end of the run: a Ctrl-C does not stop asking how the rows ended.
    startChange();
    const request = {
      method: 'POST',
      path: hopPaths.applyPlan(account),
      body: `${JSON.stringify(head)}\n${this.#plan.text}`,
    } as const;
    const closed = new AbortController();
    const over = AbortSignal.any([leave, closed.signal]);
    const stop = () => void this.#stop(closed);
    stopWaiting.addEventListener('abort', stop);
    try {
      for (let round = 1; round <= tries && !over.aborted; round += 1) {
        if (round > 1) await this.#pause(round, over);
        const heard = await hop.listen(request, this.#hear, over);
        if (heard.how === 'end') return this.#endOf(heard.line);
        this.#why = heard.how === 'broke' ? heard.why : heard.error.message;
        if (heard.how === 'broke') this.#mayHaveArrived ||= heard.sent;
        else if (heard.error.kind !== 'network') throw heard.error;
      }
    } finally {
      stopWaiting.removeEventListener('abort', stop);
      changed();
    }
    throw this.#unknown(at);
  }

  // Stopping this run stops the plan. A closed desk only stops following it.
  async #stop(closed: AbortController): Promise<void> {
    const { hop, account, stopWaiting, leave } = this.#parts;
    const { reason } = stopWaiting;
    if (!(reason instanceof CliError) || reason.kind !== 'interrupted') return closed.abort();
    const path = hopPaths.stopPlan(account, this.#plan.digest);
    for (let round = 1; round <= tries && !leave.aborted; round += 1) {
      const heard = await hop.listen({ method: 'POST', path, body: {} }, () => undefined, leave);
      if (heard.how !== 'broke') return;
      await this.#pause(round, leave);
    }
  }

  async #pause(round: number, over: AbortSignal): Promise<void> {
    const { clock, hop } = this.#parts;
    this.#say(
      `the connection to the sender ${hop.name} broke (${this.#why}); the sender goes on, and is asked again`,
    );
    await clock.sleep(Math.min(longestPauseMs, pauseMs * 2 ** round), over).catch(() => undefined);
  }

  readonly #hear = (line: Line): void => {
    this.#mayHaveArrived = true;
    if ('waiting' in line && line.waiting !== null) this.#say(line.waiting);
    if (!('row' in line)) return;
    // After a break the sender repeats all rows from the first.
    if (this.#told.has(line.row)) return;
    this.#told.add(line.row);
    if (line.isKnown !== true && (line.how === 'applied' || line.how === 'unconfirmed')) this.#sent += 1;
    this.#tell(line);
  };

  // Says each line once: the progress line is below it.
  #say(line: string): void {
    if (line !== this.#said) this.#parts.notes.note(line);
    this.#said = line;
  }

  #endOf(line: EndLine): Worked {
    if ('refused' in line) throw errorFromWire(line.refused);
    if (!('worked' in line))
      throw new CliError(
        'reply',
        `the sender ${this.#parts.hop.name} ends the plan in a way that this paydesk does not know`,
      );
    const worked = workedFromWire(line.worked);
    worked.run.sent = Math.max(worked.run.sent, this.#sent);
    return worked;
  }

  #unknown(at: number): CliError {
    const { hop, shortTime, profile, stopWaiting } = this.#parts;
    if (!this.#mayHaveArrived) return notHandedOver(hop.name, this.#why);
    const { reason } = stopWaiting;
    const isLeft = reason instanceof CliError && reason.kind !== 'interrupted';
    return new CliError(
      isLeft ? reason.kind : 'unconfirmed',
      `the plan was handed over to the sender ${hop.name} at ${shortTime(at)}; its progress is not known here`,
      {
        certain: 'the sender goes on, and sends each row once at most',
        now: [
          'the same command follows it again; who applies it:',
          commandLine(profile, 'refunds', 'status', 'PLAN'),
        ],
      },
    );
  }
}
