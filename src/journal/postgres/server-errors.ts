/** The errors of a team's journal in words: what the server refused, or that it does not answer. */

import * as v from 'valibot';
import { CliError, systemReason } from '../../errors.ts';
import { approvalRefusal, LimitRefusal } from '../limit-words.ts';
import { RecordedFirst } from '../unwritten-words.ts';
import { codeOf, isCertain, NoAnswer, ServerWarning, UnprovenServer } from './connection.ts';
import { findingIn } from './rule-answers.ts';
import type { ServerProblem } from './server-check.ts';

const certain = 'nothing was sent';

/** What the codes of the schema's own errors mean for whoever may do something about it. */
const remedies: Readonly<Record<string, string>> = {
  PD001: 'connect to the primary server',
  PD002: 'ask who runs the database to switch it on: a journal on such a server may forget refunds',
  PD003: 'ask who runs the database for "read committed"',
  PD004: 'install the newer paydesk',
  PD006:
    'give this journal another name (--schema NAME); if the other journal is gone, an administrator can drop its roles',
  PD007: 'look at the spelling; who the members are, every member can see (team show)',
  PD010: 'look at what was done, then decide again',
  PD011: 'look at what was done, then decide again',
  PD013: 'look at what was recorded',
  PD014: 'wait until it has ended, then run the command again',
  PD016: 'what became of its rows: paydesk refunds status PLAN',
  PD040: 'look at the spelling',
  PD041: 'look at it: paydesk approvals list',
  PD042: 'ask somebody else of the team',
  '3F000': 'compare the names of database and schema with the invitation of your lead',
  '42501':
    'only a lead may do that; ask an administrator of the database to make you one (team add NAME --lead)',
  '55P03': 'somebody else is writing to the journal: run the command again in a moment',
};

/** The refusal when the server says no, for certain. `place`: where the journal is. */
export function refusedByServer(error: unknown, place: string): CliError {
  const byRule = refusedByRule(error);
  if (byRule !== undefined) return byRule;
  const remedy = isOfAdministrator(error) ? administrator : remedies[codeOf(error) ?? ''];
  const Kind = codeOf(error) === 'PD013' ? RecordedFirst : CliError;
  return new Kind('refused', `the team's journal ${place} refused it: ${messageOf(error)}`, {
    certain,
    ownCode: 'team_server_refused',
    ...(remedy === undefined ? {} : { now: [remedy] }),
    // What the schema refuses is about one change. Only an error of the server itself means that the journal cannot be used.
    ...(codeOf(error)?.startsWith('PD') === true ? {} : { cause: error }),
  });
}

const administrator =
  'sign in as an administrator of the database, who may make roles (--user), or print the statements for one: --print-sql';

// Leads set limits. Members, schemas and databases are made by whoever runs the server.
function isOfAdministrator(error: unknown): boolean {
  return codeOf(error) === '42501' && /\b(role|schema|database)\b/.test(messageOf(error));
}

// A limit of the team, or an approval that does not count. The server says the figures in the detail of its error.
function refusedByRule(error: unknown): CliError | undefined {
  const code = codeOf(error) ?? '';
  if (!(error instanceof Error) || !('detail' in error) || !['PD020', 'PD023', 'PD026'].includes(code))
    return undefined;
  const detail: unknown = JSON.parse(String(error.detail));
  if (code === 'PD026') {
    const { id, ...problem } = v.parse(approvalForm, detail);
    return approvalRefusal(id, problem);
  }
  const finding = findingIn(detail);
  return finding && new LimitRefusal(finding);
}

const approvalForm = v.object({ id: v.string(), why: v.string(), usedBy: v.nullable(v.string()) });

/** What to do when the server does not take a password that was typed. */
export function typedWrong(user: string): readonly string[] {
  return [
    `look at the name ${user}, and type its password again`,
    `if ${user} is a member of the team and nobody knows the password, an administrator of the database sets a new one (team add ${user})`,
  ];
}

/** The refusal when the server cannot be reached, or signing in fails. `now`: what to do, where somebody knows better. */
export function serverAway(error: unknown, place: string, now = whatNow(error)): CliError {
  return new CliError('refused', `the team's journal ${place} cannot be used: ${messageOf(error)}`, {
    certain: "nothing is sent without the team's journal",
    ownCode: (codeOf(error) ?? '').startsWith('28') ? 'team_sign_in_refused' : 'team_server_away',
    now,
    cause: error,
  });
}

function whatNow(error: unknown): readonly string[] {
  const code = codeOf(error) ?? '';
  if (error instanceof UnprovenServer)
    return [
      'ask who runs the database to store and ask for passwords as scram-sha-256 (password_encryption, pg_hba.conf)',
    ];
  // The server knows the name, and lets nobody in under it.
  if (code === '28000' && !messageOf(error).includes('pg_hba'))
    return [
      'ask your lead whether you were removed from the team',
      'to use paydesk without the team: once you were added again, paydesk team leave',
    ];
  if (code.startsWith('28'))
    return [
      'look at name and password; an administrator of the database can set a new one: paydesk team add NAME',
    ];
  if (certificateWords(code) !== undefined)
    return [
      'compare host name and certificate authority with what your lead gave you; do not go on otherwise',
    ];
  if (code === '3D000') return ['compare the name of the database with the invitation of your lead'];
  return ['run the command again when the server answers'];
}

// Node's own words are for whoever writes programs.
function certificateWords(code: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'the certificate of the server is not valid yet';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate of the server is for another host';
  if (!/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code)) return undefined;
  return 'the certificate of the server was not issued by the authority that this desk trusts for it';
}

/** The refusal when the server is not what it was. */
export function serverDiffers({ problem, now }: ServerProblem, place: string): CliError {
  return new CliError('refused', `the server of the team's journal ${place} ${problem}`, {
    certain,
    ownCode: 'team_server_differs',
    now,
  });
}

/** The refusal when nobody knows whether a row was recorded. */
export function outcomeUnknown(error: unknown, place: string, what: string): CliError {
  return new CliError(
    'refused',
    `the team's journal ${place} did not confirm that it recorded ${what}: ${messageOf(error)}`,
    { certain, ownCode: 'team_record_unknown', cause: error },
  );
}

/** Whether the same statement may be tried again: the server did nothing, since others were in the way. */
export function isInTheWay(error: unknown): boolean {
  return isCertain(error) && ['40001', '40P01', '55P03'].includes(codeOf(error) ?? '');
}

// The text of an error of the driver may name what was asked for, but never the password.
function messageOf(error: unknown): string {
  if (error instanceof NoAnswer || error instanceof ServerWarning) return error.message;
  if (!(error instanceof Error)) return String(error);
  const certificate = certificateWords(codeOf(error) ?? '');
  if (certificate !== undefined) return certificate;
  return 'syscall' in error ? systemReason(error) : error.message || (codeOf(error) ?? error.name);
}
