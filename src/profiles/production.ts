/** What production may not set: waiting less, or sending later, than the defaults could pay twice. */

import { type Settings, single } from './settings-schema.ts';

/** A limit of production: the setting, what it takes in words, and whether a profile goes beyond it. */
interface Limit {
  readonly name: keyof typeof single.entries;
  readonly bound: string;
  readonly breaks: (settings: Settings, standard: Settings) => boolean;
}

const { entries } = single;

const limits: readonly Limit[] = [
  {
    name: 'refund.horizon_part',
    bound: `at least ${entries['refund.horizon_part'].default}`,
    breaks: (settings, standard) => settings['refund.horizon_part'] < standard['refund.horizon_part'],
  },
  {
    name: 'refund.horizon_whole',
    bound: `at least ${entries['refund.horizon_whole'].default}`,
    breaks: (settings, standard) => settings['refund.horizon_whole'] < standard['refund.horizon_whole'],
  },
  {
    name: 'refund.send_within',
    bound: `at most ${entries['refund.send_within'].default}`,
    breaks: (settings, standard) => settings['refund.send_within'] > standard['refund.send_within'],
  },
  {
    name: 'reconcile.after',
    bound: `as many reads as ${entries['reconcile.after'].default} at least, and as late`,
    breaks: ({ 'reconcile.after': after }, { 'reconcile.after': usual }) =>
      after.length < usual.length || (after.at(-1) ?? 0) < (usual.at(-1) ?? 0),
  },
];

/** The first limit of production that settings go beyond; `standard`: what all defaults come to. */
export function productionProblem(settings: Settings, standard: Settings): Limit | undefined {
  return limits.find(({ breaks }) => breaks(settings, standard));
}
