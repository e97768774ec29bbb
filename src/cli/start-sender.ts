/** Starts the sender of a team: checks its files and its journal, opens its accounts, joins the routes, and goes on with plans. */

import { join } from 'node:path';
import { refused } from '../errors.ts';
import type { Verification } from '../journal/journal.ts';
import { addAnswers } from '../sender/at-sender/answers.ts';
import { addChanges, type Changes } from '../sender/at-sender/change-routes.ts';
import { readCertificate, refuseReadable, type SenderConfig } from '../sender/at-sender/config.ts';
import type { Members } from '../sender/at-sender/members.ts';
import { addPlans, type RunPlans } from '../sender/at-sender/plan-routes.ts';
import type { SenderAccount } from '../sender/at-sender/routes.ts';
import { addRules, type Rules } from '../sender/at-sender/rules/rules.ts';
import { createTakenPlans } from '../sender/at-sender/send-plan.ts';
import { startServer } from '../sender/at-sender/server.ts';
import { createClosings } from '../sender/at-sender/shares.ts';
import { createLastUses } from '../sender/at-sender/sign-in.ts';
import type { ServeHow, Serving } from '../sender/sender.ts';
import type { SenderDoorParts } from './sender-door.ts';

interface HowStarted extends Pick<ServeHow, 'log'> {
  readonly config: SenderConfig;
  readonly members: Members;
  readonly teamRules: Rules;
  /** Throws CliError 'refused' for a profile that has no key. */
  readonly checkAccount: (name: string) => Promise<void>;
  readonly usesFile: string;
}

/** Starts the sender. Throws CliError 'refused' if others can read its files, or if its journal is not whole. */
export async function startSender(
  parts: SenderDoorParts,
  { config, members, teamRules, checkAccount, usesFile, log }: HowStarted,
): Promise<Serving> {
  const { profiles, rules, clock, version } = parts;
  for (const name of ['profiles.json', 'keys.json'])
    refuseReadable(join(profiles.folders.config, name), rules);
  const certificate = readCertificate(config, rules);
  refuseDamaged(await parts.journal.verify());
  if (config.max_per_second !== undefined) parts.limitPace(config.max_per_second);
  const accounts = new Map<string, SenderAccount>();
  for (const name of config.accounts) {
    await checkAccount(name);
    accounts.set(name, await openSenderAccount(parts, name));
  }
  const routes: { changes?: Changes; plans?: RunPlans } = {};
  const handed = createTakenPlans(join(parts.folders.state, 'sender', 'plans'), rules);
  const left = handed.list();
  const server = await startServer({
    config,
    certificate,
    accounts,
    members,
    uses: createLastUses(usesFile, rules, clock),
    clock,
    version,
    addRoutes(hop) {
      addAnswers(hop, parts.asking);
      addRules(hop, teamRules);
      const shared = {
        store: parts.store,
        locks: parts.locks,
        clock,
        version,
        rules: teamRules,
        mayClose: createClosings(() => clock.monotonic()),
        stop: parts.stop,
        report: parts.report,
      };
      routes.changes = addChanges(hop, shared);
      routes.plans = addPlans(hop, { ...shared, accounts, handed });
    },
    log,
  });
  await routes.plans?.resume(left);
  const { host } = config.listen;
  const scheme = certificate === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    accounts: config.accounts,
    drain: () => server.drain(),
    async close() {
      await Promise.all([routes.changes?.stop(), routes.plans?.stop()]);
      await server.close();
    },
  };
}

async function openSenderAccount(
  { profiles, open, allowedNow, refuseOff }: SenderDoorParts,
  name: string,
): Promise<SenderAccount> {
  const client = await open(name);
  const { service } = client;
  const { settings } = await profiles.describe(name);
  const own = settings.filter(({ from, value }) => from === 'profile' && value !== undefined);
  return {
    name,
    ...client,
    profileNow: (command, ofDesk) => allowedNow(service, command, ofDesk),
    refuseOff,
    settings: Object.fromEntries(own.map((setting) => [setting.name, setting.value ?? ''])),
  };
}

function refuseDamaged({ findings, witness }: Verification): void {
  const isWhole = findings.length === 0 && ['agrees', 'none yet', 'witness behind'].includes(witness.state);
  if (isWhole) return;
  throw refused('the journal of the sender is not whole', ['paydesk journal verify'], {
    certain: 'nothing was started',
  });
}
