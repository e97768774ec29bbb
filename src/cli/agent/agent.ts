/** A software agent that runs paydesk: how it is named, for whom it runs, and what it may not do. */

import { CliError, orUndefined, refused } from '../../errors.ts';
import { agentVariables, type Env, type Io, variable } from '../../io.ts';
import type { Change } from '../../journal/journal.ts';
import { type Profile, plainCommand } from '../../profiles/profiles.ts';

/** The name of the agent that started this run; undefined if none says that it did. */
export function agentOf(env: Env): string | undefined {
  const [named] = agentVariables.flatMap((name) => variable(env, name) ?? []);
  return named?.slice(0, 60);
}

/**
 * Throws CliError 'refused' for a change in production that an agent sends and that no person has released, or whose release is
 * over at this time (Unix milliseconds). A request that a second person approved counts too: the sender of the team looks at it.
 */
export function refuseAgent(
  env: Env,
  { mode, sender }: Pick<Profile, 'mode' | 'sender'>,
  { released, approval }: Pick<Change, 'released' | 'approval'>,
  now: number,
): void {
  const agent = agentOf(env);
  if (agent === undefined || mode !== 'production') return;
  if (sender !== undefined && approval !== undefined) return;
  if (released !== undefined && now <= released.until) return;
  const certain = 'nothing was sent';
  if (released !== undefined)
    throw refused(`the release by ${released.by} has expired: it counts for an hour`, [], {
      certain,
      ownCode: 'person_needed',
    });
  throw refused(
    `agent ${agent} started this run, and in production a person sends`,
    [
      `let a person run it, or write a plan: ${plainCommand('refunds', 'plan')} FILE`,
      `then a person releases that plan, at a terminal: ${plainCommand('release')} PLAN`,
      plainCommand('help', 'agents'),
    ],
    { certain, ownCode: 'person_needed' },
  );
}

/**
 * The name of the person of this run, as the journal records it, and that of the agent that runs it for this person. Each name is
 * one word, so that it cannot read like anything else. Throws CliError 'usage' for what is not a name.
 */
export function operatorOf(io: Io): string {
  const agent = agentOf(io.env);
  return agent === undefined ? personOf(io) : `agent ${cleaned(agent)} for ${personOf(io)}`;
}

function personOf(io: Io): string {
  const named = variable(io.env, 'PAYDESK_OPERATOR');
  if (named !== undefined) return nameIn(named) ?? notAName(named);
  return orUndefined(() => cleaned(io.userName())) ?? `uid ${io.uid ?? 'unknown'}`;
}

/** The rule for a person's name, in words. */
export const personNameWords =
  "at most 64 letters of one script, digits, blanks and . _ - ' @, and neither agent, sender nor an id";

// Letters of two scripts are refused, since some of them look alike.
const oneScript = /^(?:\p{Script=Latin}+|[^\p{Script=Latin}]+)$/u;
const notPerson = /^(?:(?:agent|sender)(?![\p{L}\p{N}])|[a-z]_)/iu;

/** `Ana_María_López` for `Ana María López`; undefined for what is not the name of a person. */
export function nameIn(text: string): string | undefined {
  const isName = /^(?=.{1,64}$)[\p{L}\p{N}][\p{L}\p{M}\p{N}._@'’-]*(?: [\p{L}\p{M}\p{N}._@'’-]+)*$/u.test(
    text,
  );
  const isOneScript = oneScript.test(text.replaceAll(/[^\p{L}]+/gu, '') || 'a');
  return isName && isOneScript && !notPerson.test(text) ? text.replaceAll(' ', '_') : undefined;
}

function notAName(name: string): never {
  throw new CliError('usage', `PAYDESK_OPERATOR ${name}: not the name of a person`, {
    certain: 'nothing was sent',
    now: [personNameWords],
  });
}

// Nobody typed this name for paydesk, so it is cleaned and not refused.
function cleaned(name: string): string {
  return name.replaceAll(/[^\p{L}\p{M}\p{N}._@'’-]+/gu, '_').slice(0, 64);
}
