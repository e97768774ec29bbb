/** A software agent that runs paydesk: how it is named, and what it may not do. Pure. */

import { CliError } from '../../errors.ts';
import { type Env, variable } from '../../io.ts';
import { type Profile, plainCommand } from '../../profiles/profiles.ts';

// Agents say so themselves: a variable that is there may refuse, and one that is not proves nothing.
const variables = ['PAYDESK_AGENT', 'AI_AGENT'];

/** The name of the agent that started this run; undefined if none says that it did. */
export function agentOf(env: Env): string | undefined {
  const [named] = variables.flatMap((name) => variable(env, name) ?? []);
  return named?.slice(0, 60);
}

/** Throws CliError 'refused' for a change in production that no person started. */
export function refuseAgent(env: Env, profile: Profile): void {
  const agent = agentOf(env);
  if (agent === undefined || profile.mode !== 'production') return;
  throw new CliError('refused', `agent ${agent} started this run, and in production a person sends`, {
    certain: 'nothing was sent',
    now: [
      `let a person run it, or write a plan for a person to apply: ${plainCommand('refunds', 'plan')} FILE`,
      plainCommand('help', 'agents'),
    ],
  });
}
