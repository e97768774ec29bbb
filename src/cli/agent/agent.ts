/** A software agent that runs paydesk: how it is named, for whom it runs, and what it may not do. */

import { CliError } from '../../errors.ts';
import { type Env, type Io, variable } from '../../io.ts';
import type { Change } from '../../journal/journal.ts';
import { type Profile, plainCommand } from '../../profiles/profiles.ts';

// Agents say so themselves: a variable that is there may refuse, and one that is not proves nothing.
const variables = ['PAYDESK_AGENT', 'AI_AGENT'];

/** The name of the agent that started this run; undefined if none says that it did. */
export function agentOf(env: Env): string | undefined {
  const [named] = variables.flatMap((name) => variable(env, name) ?? []);
  return named?.slice(0, 60);
}

/**
 * Throws CliError 'refused' for a change in production that an agent sends and no person has released, or not until now (Unix
 * milliseconds). A request that a second person approved counts too: the sender of the team looks at it.
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
    throw new CliError('refused', `the release by ${released.by} has expired: it counts for an hour`, {
      certain,
      ownCode: 'person_needed',
    });
  throw new CliError('refused', `agent ${agent} started this run, and in production a person sends`, {
    certain,
    ownCode: 'person_needed',
    now: [
      `let a person run it, or write a plan: ${plainCommand('refunds', 'plan')} FILE`,
      `then a person releases that plan, at a terminal: ${plainCommand('release')} PLAN`,
      plainCommand('help', 'agents'),
    ],
  });
}

/**
 * The name of the person of this run as the journal records it, and of the agent that the person lets run it. Throws CliError 'usage'
 * for a name that could be read as more than a name, such as `ana, approved by lea`.
 */
export function operatorOf(io: Io): string {
  const agent = agentOf(io.env);
  return agent === undefined ? personOf(io) : `agent ${cleaned(agent)} for ${personOf(io)}`;
}

function personOf(io: Io): string {
  const named = variable(io.env, 'PAYDESK_OPERATOR');
  if (named !== undefined) return checked(named);
  try {
    return cleaned(io.userName());
  } catch {
    return `uid ${io.uid ?? 'unknown'}`;
  }
}

// Letters of two scripts are refused, since some of them look alike.
const oneScript = /^(?:\p{Script=Latin}+|[^\p{Script=Latin}]+)$/u;
const wordsOfOthers = /^(?:by|for|asked|approved|released)$/iu;

function checked(name: string): string {
  const words = name.split(/[ ()._-]+/);
  const isName = /^[\p{L}\p{M}\p{N}._@ ()-]{1,64}$/u.test(name) && name.trim() === name;
  const isOneScript = oneScript.test(name.replaceAll(/[^\p{L}]+/gu, ''));
  if (isName && isOneScript && (words.length === 1 || !words.some((word) => wordsOfOthers.test(word))))
    return name;
  throw new CliError('usage', `PAYDESK_OPERATOR ${name}: not the name of a person`, {
    certain: 'nothing was sent',
    now: [
      'at most 64 letters of one script, digits, blanks and . _ - @ ( ), without the words by, for, asked, approved and released',
    ],
  });
}

// What nobody typed for paydesk is not refused.
function cleaned(name: string): string {
  return name.replaceAll(/[^\p{L}\p{M}\p{N}._@-]+/gu, '_').slice(0, 64);
}
