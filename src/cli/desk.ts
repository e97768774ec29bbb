/** The desk of a run: what is needed to reach the sender of its profile. Loaded only where a profile has one. */

import { join } from 'node:path';
import { proxyFor } from '../api/api.ts';
import { createTransport, type Transport } from '../api/client.ts';
import { CliError } from '../errors.ts';
import type { JournalStore, MakeChange } from '../journal/journal.ts';
import type { PlanSender } from '../plans/plans.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import { createDeskJournal, type DeskJournal } from '../sender/at-desk/desk-journal.ts';
import { changeThrough, type DeskParts } from '../sender/at-desk/hand-over.ts';
import { createPlanSender } from '../sender/at-desk/hand-plan.ts';
import { createHandedOver } from '../sender/at-desk/handed-over.ts';
import { createHop } from '../sender/at-desk/hop.ts';
import { createRemoteRules, createRemoteStore } from '../sender/at-desk/remote-store.ts';
import type { AccountParts } from './open-account.ts';

/** A desk: the journal of its sender, and the way to send a change through it. */
export interface Desk {
  /** The connections to the sender, for reads too. */
  readonly transport: Transport;
  readonly sender: string;
  readonly store: JournalStore;
  readonly journal: DeskJournal;
  readonly change: (id: string) => MakeChange;
  readonly plans: PlanSender;
  /** Forgets the changes that were handed over and whose outcome was shown, and closes the connection. */
  close(): void;
}

/** What a desk needs from a run. */
export type DeskOfRun = Pick<
  AccountParts,
  | 'version'
  | 'clock'
  | 'signal'
  | 'stop'
  | 'notes'
  | 'shortTime'
  | 'zone'
  | 'folders'
  | 'rules'
  | 'io'
  | 'globals'
>;

/** Opens no connection yet. Undefined for a profile with a key of its own. */
export function openDesk(parts: DeskOfRun, { profile, key }: OpenProfile): Desk | undefined {
  const { io, clock, stop, folders, rules } = parts;
  const { sender } = profile;
  if (sender === undefined) return undefined;
  let token: Promise<string> | undefined;
  const transport = createTransport({ clock, proxy: proxyFor(sender.origin, io.env) });
  const hop = createHop({
    ...parts,
    sender,
    timeoutMs: parts.globals.timeoutMs,
    token: () => {
      token ??= key();
      return token;
    },
    transport,
    machine: io.machineName(),
    mode: profile.mode,
  });
  const store = createRemoteStore(hop, {
    profile: profile.name,
    account: sender.account,
    monotonic: () => clock.monotonic(),
  });
  const handedOver = createHandedOver(join(folders.state, 'handed-over'), rules);
  const shown = new Set<string>();
  const desk: DeskParts = {
    ...parts,
    hop,
    account: sender.account,
    sender: sender.origin,
    handedOver,
    profile,
    zone: () => parts.zone() ?? io.zoneName(),
    timeoutMs: parts.globals.timeoutMs,
    stopWaiting: stop.stopWaiting,
    leave: stop.leave,
    startChange: stop.startChange,
    changed: () => store.forget(),
  };
  const teamRules = createRemoteRules(hop, sender);
  return {
    transport,
    sender: sender.origin,
    store: { ...store, rules: () => Promise.resolve(teamRules) },
    journal: createDeskJournal(desk, (change) => shown.add(change)),
    plans: createPlanSender(desk),
    change: (id) => async (change, run) => {
      try {
        const outcome = await changeThrough(desk, id, change, run);
        shown.add(id);
        return outcome;
      } catch (error) {
        // If nobody knows yet how the change ended, the next run asks again.
        if (error instanceof CliError && error.kind !== 'unconfirmed') shown.add(id);
        throw error;
      }
    },
    close() {
      for (const change of shown) handedOver.remove(change);
      hop.close();
    },
  };
}
