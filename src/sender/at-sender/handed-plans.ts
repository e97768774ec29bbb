/** The plans that were handed over and are not worked off yet, one file for each: a sender that is started again goes on with them. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError } from '../../errors.ts';
import {
  checkOwnFolder,
  type FileRules,
  readOwnFile,
  removeOwnFile,
  writeOwnFile,
} from '../../profiles/profiles.ts';
import { planHeadForm } from '../plan-wire.ts';
import { accountNamePattern, nameForm, roles, timeForm } from '../wire.ts';

const planForm = v.strictObject({
  /** What the account is called at this sender. */
  account: v.pipe(v.string(), v.regex(accountNamePattern)),
  /** When it was handed over, Unix milliseconds. */
  since: timeForm,
  asker: v.strictObject({
    member: nameForm,
    role: v.picklist(roles),
    desk: nameForm,
    token: v.string(),
    until: timeForm,
  }),
  head: planHeadForm,
  text: v.string(),
});
export type HandedPlan = v.InferOutput<typeof planForm>;

/** The files of a sender. */
export interface HandedPlans {
  /** When this returns, the plan is on the disk. */
  write(plan: HandedPlan): void;
  remove(plan: HandedPlan): void;
  /** Throws CliError 'refused' for a file that cannot be read: nobody knows which plan it was. */
  list(): readonly HandedPlan[];
}

/** The files in a folder, which is made with the first one. */
export function createHandedPlans(folder: string, rules: FileRules): HandedPlans {
  const fileOf = ({ account, head }: HandedPlan) => join(folder, `${account}-${head.digest}.json`);
  return {
    write: (plan) => writeOwnFile(fileOf(plan), JSON.stringify(plan), rules),
    remove: (plan) => removeOwnFile(fileOf(plan)),
    list() {
      if (!checkOwnFolder(folder, rules)) return [];
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      return names.flatMap((name) => readPlanFile(join(folder, name), rules) ?? []);
    },
  };
}

function readPlanFile(path: string, rules: FileRules): HandedPlan | undefined {
  const text = readOwnFile(path, rules);
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), planForm), text);
  if (read.success) return read.output;
  throw new CliError('refused', `${path} cannot be read, and says which plan was handed over`, {
    certain: 'nothing was started',
    now: ['move it away; whoever applied that plan applies it again'],
  });
}
