/**
 * The mark in a journal that says that changes of an account are recorded elsewhere from now on, in the journal of a team. It is
 * a row about a setting, so it is in the chain and in the witness as every other row. Pure.
 */

import { CliError } from '../errors.ts';
import type { AttemptRecord, Moment, SettingRow } from './journal-rows.ts';
import { isSameAddress } from './same-account.ts';

/** The name of the setting of such a mark. */
export const markName = 'team.journal';

/** Where the changes of an account are recorded. */
export interface MovedTo {
  readonly origin: string;
  /** The id of the team's journal. Empty if the row that said so was lost. */
  readonly journal: string;
  /** The address of its server, for messages. */
  readonly place: string;
}

/** The mark. `to` undefined: they are recorded here again. */
export function markRow(
  origin: string,
  operator: string,
  now: Pick<Moment, 'time'>,
  to: Omit<MovedTo, 'origin'> | undefined,
): SettingRow {
  const said = to === undefined ? null : `${to.journal} ${to.place}`;
  const of = { profile: origin, origin, account: origin, name: markName };
  return { type: 'setting', time: now.time, operator, ...of, from: null, to: said };
}

/** A mark in place of one that a damaged journal lost. `origin`: as the witness knows it. */
export function lostMark({ name, profile, time }: Pick<SettingRow, 'name' | 'profile' | 'time'>) {
  return name === markName ? markRow(profile, '', { time }, { journal: '', place: '' }) : undefined;
}

/** Whether a row is such a mark. */
export function isMark({ name }: Pick<SettingRow, 'name'>): boolean {
  return name === markName;
}

/** Whether a mark says what it should. One that somebody wrote past paydesk may say anything. */
export function isReadableMark({ origin, to }: { readonly origin: unknown; readonly to: unknown }): boolean {
  return typeof origin === 'string' && (to === null || typeof to === 'string');
}

/** The accounts whose changes are recorded elsewhere. */
export class MovedAccounts {
  readonly #moved = new Map<string, MovedTo>();

  /** Takes in the next row about a setting. */
  read(row: SettingRow): void {
    if (!isMark(row)) return;
    const known = this.of(row.origin);
    if (known !== undefined) this.#moved.delete(known.origin);
    if (row.to === null) return;
    const [journal = '', place = ''] = row.to.split(' ');
    this.#moved.set(row.origin, { origin: row.origin, journal, place });
  }

  /** Where the changes of an origin are recorded, however its address is spelled; undefined: here. */
  of(origin: string): MovedTo | undefined {
    return [...this.#moved.values()].find((one) => isSameOrigin(one.origin, origin));
  }

  /** Throws CliError 'refused' if they are recorded elsewhere. */
  refuse(origin: string): void {
    const moved = this.of(origin);
    if (moved === undefined) return;
    const where = moved.place === '' ? '' : ` ${moved.place}`;
    throw new CliError(
      'refused',
      `changes of ${moved.origin} are recorded in the journal${where} of its team`,
      {
        certain: "nothing is sent without the team's journal",
        now: ['join the team again: paydesk team join --from FILE'],
      },
    );
  }
}

/** Throws CliError 'refused' if one of these attempts of an origin may still be on its way: then nothing may move. */
export function refuseWhileSending(origin: string, attempts: readonly AttemptRecord[]): void {
  const open = attempts.find(
    ({ sent, verdicts }) =>
      isSameOrigin(sent.origin, origin) && [undefined, 'unknown'].includes(verdicts.at(-1)?.verdict),
  );
  if (open === undefined) return;
  const { intent, proof } = open.sent;
  throw new CliError(
    'refused',
    `${intent} of ${proof.orderId ?? 'no order'} is unconfirmed on this machine`,
    {
      certain: 'nothing was moved',
      now: [`paydesk journal reconcile ${intent}`],
    },
  );
}

/** Whether two origins are one address. */
export function isSameOrigin(one: string, other: string): boolean {
  const marks = { livemode: false, keyFingerprint: undefined };
  return isSameAddress({ ...marks, origin: one }, { ...marks, origin: other });
}
