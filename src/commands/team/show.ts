/** `team show`: the server and the members of the profile's team, and whether this machine's copy agrees. */

import type { JsonObject } from '../../api/spec.ts';
import type { AttemptRecord, TeamStatus } from '../../journal/journal.ts';

import type { Team } from '../../team/team.ts';
import type { Block } from '../../terminal/terminal.ts';
import { type Context, defineCommand } from '../command.ts';
import { flag } from '../flags.ts';
import { invitationOf } from './place-inputs.ts';

export const show = defineCommand({
  description:
    'Signs in, fetches the newest rows, and shows the server, the members and the unconfirmed changes of all. It fails (3) if the server does not have a row that this machine has seen. --invitation prints the invitation for a new member instead.',
  arguments: [],
  flags: {
    invitation: flag.switch({ summary: 'print the invitation for a new member (JSON, no password)' }),
  },
  examples: ['paydesk team show', 'paydesk team show --json | jq .members'],
  async run(ctx, { flags }) {
    const { team, status } = await (await ctx.team()).view();
    if (flags.invitation === true) {
      await ctx.out.text(`${JSON.stringify(invitationOf(team, status.journal))}\n`);
      return undefined;
    }
    const now = await ctx.journal.now();
    const attempts = await ctx.journal.attempts({ open: now });
    const open = attempts.filter((record) => ctx.journal.isOpen(record, now));
    await ctx.out.own(recordOf(team, status, open), () => viewOf(ctx, team, status, open));
    return undefined;
  },
});

function recordOf(team: Team, status: TeamStatus, open: readonly AttemptRecord[]): JsonObject {
  const { host, port, database, schema, origin, desk } = team;
  const { members, standbys, synchronous, server, tls, operator, isLead, journal, rows, head, latencyMs } =
    status;
  return {
    object: 'team',
    origin,
    host,
    port,
    database,
    schema,
    server,
    tls,
    member: operator,
    lead: isLead,
    desk: desk ?? null,
    journal,
    rows,
    head,
    latency_ms: Math.round(latencyMs),
    commits_wait_for: synchronous === '' ? null : synchronous,
    standbys: standbys.map(({ name, state }) => ({ name, state })),
    members: members.map(({ name, lead, last, desks }) => ({
      name,
      lead,
      last_sent: last,
      connections: desks,
    })),
    unconfirmed: open.map(({ sent }) => ({
      intent: sent.intent,
      order: sent.proof.orderId ?? null,
      operator: sent.operator,
    })),
    mirror: 'agrees',
  };
}

function viewOf(
  ctx: Context,
  team: Team,
  status: TeamStatus,
  open: readonly AttemptRecord[],
): readonly Block[] {
  const { host, port, database, origin, desk } = team;
  const rows = [
    ['account', origin],
    [
      'server',
      `PostgreSQL ${status.server}, ${status.tls ? 'TLS' : 'no TLS, this machine'}, ${Math.round(status.latencyMs)} ms`,
    ],
    ['you', `${status.operator}${status.isLead ? ', lead' : ''}${desk === undefined ? '' : `, on ${desk}`}`],
    ['journal', `${status.journal}, ${status.rows} rows`],
    ['head', status.head],
    ['standbys', standbyWords(status)],
    ['this machine', `has all ${status.rows} rows, and they agree`],
  ];
  const members = status.members.map(({ name, lead, last, desks }) => [
    name,
    lead ? 'lead' : '',
    last === null ? 'sent nothing yet' : `last sent ${ctx.fullTime(last)}`,
    desks === 0 ? '' : `${desks} connected`,
  ]);
  const unconfirmed = open.map(({ sent }) => [sent.intent, sent.proof.orderId ?? '', sent.operator]);
  return [
    { line: { text: `team ${host}:${port}/${database}`, style: 'strong' } },
    {
      grid: rows.map(([name = '', value = '']) => [{ text: name, style: 'faint' as const }, value]),
      indent: 2,
    },
    'blank',
    { line: 'members' },
    { grid: members, indent: 2 },
    'blank',
    { line: open.length === 0 ? 'nothing is unconfirmed' : 'unconfirmed' },
    ...(open.length === 0 ? [] : [{ grid: unconfirmed, indent: 2 }]),
  ];
}

function standbyWords({ synchronous, standbys }: TeamStatus): string {
  const names = standbys.map(({ name, state }) => `${name}${state === null ? '' : ` (${state})`}`).join(', ');
  if (synchronous !== '')
    return `commits wait for ${synchronous}; connected: ${names === '' ? 'none' : names}`;
  const seen = names === '' ? 'none is connected' : names;
  return `commits wait for none (${seen}): a failover may forget refunds`;
}
