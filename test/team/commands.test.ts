/** A team from its first hour on: its journal is made, people are added, join with what they sent before, work, and leave. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { type Desk, type Order, startDesk } from '../harness/desk.ts';
import { type Home, newHome, paydesk, type Ran } from '../harness/paydesk.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { storeProfile } from '../harness/profile.ts';
import { lastRecord } from '../harness/ran.ts';
import { signIn } from '../harness/team-database.ts';

let server: PostgresServer;
let desk: Desk;
let losesReplies = false;

beforeAll(async () => {
  const instead: NonNullable<Parameters<typeof startDesk>[0]>['instead'] = ({ method }) =>
    losesReplies && method === 'POST' ? (_request, _response, socket) => void socket.destroy() : undefined;
  [server, desk] = await Promise.all([startPostgres(), startDesk({ instead })]);
});
afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

let database = '';
let count = 0;
beforeEach(async () => {
  losesReplies = false;
  count += 1;
  database = `desk_${count}`;
  await using admin = await signIn(server.address);
  // Roles belong to the whole server, and a second journal with those of the first would be refused.
  await admin.query(`drop database if exists desk_${count - 1} with (force)`);
  for (const role of ['owner', 'operator', 'lead', 'former'])
    await admin.query(`drop role if exists paydesk_${role}`);
  await admin.query('drop role if exists ana, ben, lea, zoe');
  await admin.query(`create database ${database}`);
});

const ownPassword = (name: string) => `${name}:s/e@cret`;
const placeOf = (port = server.address.port) => [
  '--host',
  '127.0.0.1',
  '--port',
  `${port}`,
  '--database',
  database,
];

/** Runs as the administrator of the database. */
const asAdmin = (args: readonly string[], stdin: readonly string[] = []) =>
  paydesk([...args, ...placeOf(), '--user', 'postgres', '--password-stdin'], {
    home: desk.home,
    env: desk.env,
    input: [server.address.password, ...stdin].join('\n'),
  });

async function newTeam(...names: readonly string[]): Promise<void> {
  expect(await asAdmin(['team', 'create'])).toMatchObject({ code: 0, stderr: '' });
  for (const name of names) {
    const lead = name === 'lea' ? ['--lead'] : [];
    expect(await asAdmin(['team', 'add', name, ...lead], [ownPassword(name)])).toMatchObject({ code: 0 });
  }
}

const joinAs = (home: Home, name: string, more: readonly string[] = [], port?: number): Promise<Ran> =>
  paydesk(['team', 'join', ...placeOf(port), '--user', name, '--password-stdin', '--yes', ...more], {
    home,
    env: desk.env,
    input: `${ownPassword(name)}\n`,
  });

const run = (home: Home, ...args: readonly string[]) => paydesk(args, { home, env: desk.env });

const isWhole = ({ payment_status: status, charges, amount_refunded: refunded }: Order) =>
  status === 'paid' &&
  refunded === 0 &&
  charges?.data.length === 1 &&
  charges.data[0]?.is_refundable === true;

const rowsAtServer = async (): Promise<readonly unknown[]> => {
  await using inside = await signIn(server.address, database);
  const rows = await inside.query(
    `select r.type || ' ' || (r.row::jsonb #>> '{stamp,operator}')
       || case when r.row::jsonb ? 'imported' then ' imported' else '' end as told from paydesk.rows r order by seq`,
  );
  return rows.map(({ told }) => told);
};

describe('a team', () => {
  test('is made, joined from two homes, works, and shows who did what at which desk', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben', 'lea');
    expect(await joinAs(ana, 'ana', ['--desk', 'desk-4'])).toMatchObject({ code: 0 });
    expect(await joinAs(ben, 'ben', ['--json'])).toMatchObject({ code: 0 });
    const { id } = await desk.take(isWhole);
    expect(await run(ana, 'orders', 'refund', id, '--yes')).toMatchObject({ code: 0 });
    const list = await run(ben, 'journal', 'list', '--order', id, '--json');
    expect(list.stdout).toContain('"operator":"ana"');
    const one = JSON.parse(list.stdout).data[0];
    expect(one).toMatchObject({ desk: 'desk-4' });
    expect((await run(ben, 'journal', 'show', one.intent)).stdout).toContain('by ana on desk-4');
    const other = await run(ben, 'journal', 'list', '--desk', 'desk-5', '--json');
    expect(JSON.parse(other.stdout).data).toEqual([]);
    const { stdout } = await run(ben, 'team', 'show', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'team',
      member: 'ben',
      lead: false,
      rows: expect.any(Number),
      mirror: 'agrees',
      commits_wait_for: null,
      unconfirmed: [],
      members: [
        { name: 'ana', lead: false, last_sent: expect.any(Number) },
        { name: 'ben', lead: false, last_sent: null },
        { name: 'lea', lead: true },
      ],
    });
    expect(await run(ben, 'team', 'show')).toMatchObject({ code: 0, stderr: '' });
    await using inside = await signIn(server.address, database);
    expect(
      await inside.query(
        `select row::jsonb #>> '{stamp,desk}' as desk from paydesk.rows where row::jsonb #>> '{stamp,operator}' = 'ana'`,
      ),
    ).toEqual([{ desk: 'desk-4' }, { desk: 'desk-4' }]);
  });

  test('is made with the commands on the screen that come next, and each of them works as it is printed', async () => {
    using ana = newHome();
    const made = await asAdmin(['team', 'create']);
    const there = placeOf().join(' ');
    expect(made.stdout).toContain(`paydesk team add NAME --lead ${there} --user postgres`);
    expect(made.stdout).toContain(`paydesk -p PROFILE team join ${there} --user NAME`);
    // Without a profile.
    const add = ['team', 'add', 'ana', '--lead', ...placeOf(), '--user', 'postgres', '--password-stdin'];
    const input = [server.address.password, ownPassword('ana')].join('\n');
    expect(await paydesk(add, { home: ana, env: {}, input })).toMatchObject({ code: 0 });
    expect(await joinAs(ana, 'ana')).toMatchObject({ code: 0 });
  });

  test('of one that is refused nobody is sent to a command that needs a profile', async () => {
    await newTeam('ana');
    const refused = await asAdmin(['team', 'remove', 'zoe', '--yes']);
    expect(refused.stderr).toContain('look at the spelling');
    expect(refused.stderr).not.toContain('paydesk team show');
  });

  test("a wrong password of the administrator is not taken for a member's that was changed", async () => {
    await newTeam();
    const args = ['team', 'add', 'ana', ...placeOf(), '--user', 'postgres', '--password-stdin', '--json'];
    const input = ['not the password', ownPassword('ana')].join('\n');
    const { code, stderr } = await paydesk(args, { home: desk.home, env: desk.env, input });
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'team_sign_in_refused',
      now: [
        'look at the name postgres, and type its password again',
        expect.stringContaining('if postgres is a member'),
      ],
    });
  });

  test('is made once, and not where the journal would not be safe', async () => {
    await newTeam();
    const again = await asAdmin(['team', 'create']);
    expect(again).toMatchObject({ code: 3 });
    expect(again.stderr).toContain('already exists');
    const away = await paydesk(['team', 'create', '--host', 'db.example', '--database', 'd', '--user', 'u'], {
      home: desk.home,
      env: desk.env,
    });
    expect(away).toMatchObject({ code: 3 });
    expect(away.stderr).toContain('db.example is not this machine, so the connection needs TLS');
  });

  test('a lead who may make no roles is sent to an administrator of the database, not to a lead', async () => {
    using lea = newHome();
    await newTeam('lea');
    await joinAs(lea, 'lea');
    for (const args of [
      ['team', 'add', 'ben'],
      ['team', 'remove', 'lea', '--yes'],
    ]) {
      const refused = await paydesk([...args, ...placeOf(), '--user', 'lea', '--password-stdin'], {
        home: lea,
        env: desk.env,
        input: `${ownPassword('lea')}\n${ownPassword('ben')}\n`,
      });
      expect(refused.code, refused.stderr).toBe(3);
      expect(refused.stderr).toContain('sign in as an administrator of the database');
      expect(refused.stderr).not.toContain('ask a lead');
    }
  });

  test('can be made by an administrator, from the statements that are printed', async () => {
    const { stdout } = await run(desk.home, 'team', 'create', '--print-sql');
    const member = await paydesk(['team', 'add', 'zoe', '--print-sql', '--password-stdin'], {
      home: desk.home,
      env: desk.env,
      input: 'password-of-zoe\n',
    });
    expect(member.stdout).not.toContain('password-of-zoe');
    const without = await run(desk.home, 'team', 'remove', 'zoe', '--print-sql');
    await using inside = await signIn(server.address, database);
    await inside.query(stdout);
    await inside.query(member.stdout);
    await using zoe = await signIn({ ...server.address, user: 'zoe', password: 'password-of-zoe' }, database);
    expect(await zoe.query('select paydesk.identity()')).toHaveLength(1);
    await inside.query(without.stdout);
    await expect(zoe.query('select paydesk.identity()')).rejects.toThrow();
  });

  test('somebody who was removed can send nothing more', async () => {
    using ben = newHome();
    await newTeam('ben');
    await joinAs(ben, 'ben');
    expect(await asAdmin(['team', 'remove', 'ben', '--yes'])).toMatchObject({ code: 0 });
    const { id } = await desk.take(isWhole);
    const before = desk.changes().length;
    expect(await run(ben, 'orders', 'refund', id, '--yes')).toMatchObject({ code: 3 });
    expect(desk.changes().length).toBe(before);
    const list = await run(ben, 'journal', 'list');
    expect(list.stderr).toContain('ask your lead whether you were removed from the team');
  });

  test('an invitation holds no password, and takes others to the same journal', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben');
    await joinAs(ana, 'ana');
    const invitation = await run(ana, 'team', 'show', '--invitation');
    expect(invitation.stdout).not.toContain(ownPassword('ana'));
    writeFileSync(join(ben.path, 'desk.team'), invitation.stdout);
    const words = [
      'team',
      'join',
      '--from',
      join(ben.path, 'desk.team'),
      '--user',
      'ben',
      '--password-stdin',
    ];
    const joined = await paydesk([...words, '--yes', '--json'], {
      home: ben,
      env: desk.env,
      input: `${ownPassword('ben')}\n`,
    });
    expect(JSON.parse(joined.stdout).journal).toBe(JSON.parse(invitation.stdout).journal);
    using other = newHome();
    writeFileSync(
      join(other.path, 'desk.team'),
      invitation.stdout.replace(/"journal":"[0-9a-f]{8}/, '"journal":"00000000'),
    );
    const wrong = await paydesk([...words.with(3, join(other.path, 'desk.team')), '--yes'], {
      home: other,
      env: desk.env,
      input: `${ownPassword('ben')}\n`,
    });
    expect(wrong).toMatchObject({ code: 3 });
    expect(wrong.stderr).toContain('has another journal than the one that was joined');
  });
});

describe('joining', () => {
  test('brings what this machine has sent, and a second desk knows it: the same script id sends nothing again', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben');
    const { id } = await desk.take(isWhole);
    const refund = ['orders', 'refund', id, '--amount', '100', '--intent', 'ticket-1', '--yes'];
    const alone = { ...desk.env, PAYDESK_OPERATOR: 'root' };
    expect(await paydesk(refund, { home: ana, env: alone })).toMatchObject({ code: 0 });
    const joined = await joinAs(ana, 'ana', ['--json']);
    expect(JSON.parse(joined.stdout)).toMatchObject({ attempts: 1, rows_added: 2 });
    expect(await rowsAtServer()).toEqual(['sent ana imported', 'verdict ana imported']);
    await joinAs(ben, 'ben');
    const nobody = await run(ben, 'journal', 'list', '--operator', 'nobody');
    expect(nobody.stderr).toContain('changes were sent by ana, root');
    const brought = await run(ben, 'journal', 'list', '--operator', 'ana', '--json');
    const [one] = JSON.parse(brought.stdout).data;
    expect(one).toMatchObject({ order: id, operator: 'root', brought_by: 'ana' });
    const shown = await run(ben, 'journal', 'show', one.intent);
    expect(shown.stdout).toContain('by root, brought by ana');
    const sums = await run(ben, 'refunds', 'summary', '--by', 'operator', '--json');
    expect(sums.stdout).toContain('"root, brought by ana"');
    const before = desk.changes().length;
    expect(await run(ben, ...refund)).toMatchObject({ code: 0 });
    const same = await run(ben, 'orders', 'refund', id, '--amount', '100', '--yes');
    expect(same.code).not.toBe(0);
    expect(desk.changes().length).toBe(before);
    expect(await run(ben, 'team', 'verify')).toMatchObject({ code: 0 });
  });

  test('with a change from before that of a colleague: the list is in the order in which they were sent', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben');
    const refund = async (home: Home) => {
      const { id } = await desk.take(isWhole);
      expect(await run(home, 'orders', 'refund', id, '--amount', '100', '--yes')).toMatchObject({ code: 0 });
      return id;
    };
    const early = await refund(ana);
    await joinAs(ben, 'ben');
    const late = await refund(ben);
    const joined = await joinAs(ana, 'ana');
    expect(joined.stdout).toContain('1 change that this machine knew is in it');
    const { data } = JSON.parse((await run(ben, 'journal', 'list', '--json')).stdout);
    expect(data.map(({ order }: { order: string }) => order)).toEqual([early, late]);
  });

  test('again adds nothing twice', async () => {
    using ana = newHome();
    await newTeam('ana');
    const { id } = await desk.take(isWhole);
    await run(ana, 'orders', 'refund', id, '--yes');
    await joinAs(ana, 'ana');
    expect(JSON.parse((await joinAs(ana, 'ana', ['--json'])).stdout)).toMatchObject({ rows_added: 0 });
    expect(await rowsAtServer()).toHaveLength(2);
  });

  test('is refused while a change of this machine is unconfirmed, and names it', async () => {
    using ana = newHome();
    await newTeam('ana');
    const { id } = await desk.take(isWhole);
    losesReplies = true;
    await run(ana, 'orders', 'refund', id, '--yes');
    losesReplies = false;
    const refused = await joinAs(ana, 'ana');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain(`unconfirmed: ${id} (i_`);
    expect(refused.stderr).toContain('paydesk journal reconcile --all');
    expect(await rowsAtServer()).toEqual([]);
  });

  test('again with a new password is enough for every account of the same person there, whichever command is typed', async () => {
    using ben = newHome();
    await newTeam('ben');
    await storeProfile(ben, { name: 'prod', baseUrl: 'http://127.0.0.1:9', mode: 'production' }, desk.key);
    await storeProfile(ben, { name: 'shop', baseUrl: desk.url, mode: 'sandbox' }, desk.key);
    const as = (line: string, input = '') =>
      paydesk(line.split(' '), { home: ben, env: { TZ: 'UTC' }, ...(input === '' ? {} : { input }) });
    const joins = (profile: string, password: string) =>
      as(`-p ${profile} team join ${placeOf().join(' ')} --user ben --password-stdin --yes`, `${password}\n`);
    for (const profile of ['prod', 'shop'])
      expect(await joins(profile, ownPassword('ben'))).toMatchObject({ code: 0 });
    const { id } = await desk.take(isWhole);
    losesReplies = true;
    const lost = await as(`-p shop orders refund ${id} --yes --json`);
    losesReplies = false;
    const intent = lastRecord(lost.stderr).intent;
    expect(await asAdmin(['team', 'add', 'ben'], ['a new pass phrase'])).toMatchObject({ code: 0 });
    const refused = await as(`journal reconcile ${intent} --json`);
    expect(refused.stderr).toContain('paydesk -p prod team join --user ben');
    const again = await as('-p shop team join --user ben --password-stdin --yes', 'a new pass phrase\n');
    expect(again.code, again.stderr).toBe(0);
    for (const line of [
      `journal reconcile ${intent}`,
      `-p shop journal reconcile ${intent}`,
      '-p prod team show',
    ]) {
      const { stderr } = await as(line);
      expect(stderr, line).not.toContain('password');
    }
  });

  test('again without --desk keeps the name of the desk', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana', ['--desk', 'desk-4']);
    await joinAs(ana, 'ana');
    expect((await run(ana, 'team', 'show')).stdout).toContain('desk-4');
    await joinAs(ana, 'ana', ['--desk', 'desk-5']);
    expect((await run(ana, 'team', 'show')).stdout).toContain('desk-5');
  });

  test('that stops half way sends nothing until it has come through', async () => {
    using ana = newHome();
    await newTeam('ana');
    await using proxy = await startCuttingProxy(server.address.port);
    const { id } = await desk.take(isWhole);
    await run(ana, 'orders', 'refund', id, '--yes');
    proxy.at('import_rows', 'cut after');
    void proxy.happened().then(() => proxy.refuse(true));
    expect(await joinAs(ana, 'ana', [], proxy.port)).toMatchObject({ code: 3 });
    const { id: other } = await desk.take(isWhole);
    const before = desk.changes().length;
    const refused = await run(ana, 'orders', 'refund', other, '--yes');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain("nothing is sent without the team's journal");
    expect(desk.changes().length).toBe(before);
    proxy.refuse(false);
    expect(await joinAs(ana, 'ana', [], proxy.port)).toMatchObject({ code: 0 });
    expect(await rowsAtServer()).toHaveLength(2);
    expect(await run(ana, 'orders', 'refund', other, '--yes')).toMatchObject({ code: 0 });
  });

  test('case 40: the journal of this machine takes no change of the account any more, even if the file of the teams is gone', async () => {
    using ana = newHome();
    await newTeam('ana');
    await using other = await startDesk();
    await joinAs(ana, 'ana');
    rmSync(join(ana.path, '.config', 'paydesk', 'teams.json'));
    const { id } = await desk.take(isWhole);
    const before = desk.changes().length;
    const refused = await run(ana, 'orders', 'refund', id, '--yes');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('are recorded in the journal 127.0.0.1');
    expect(refused.stderr).toContain('paydesk team join --from FILE');
    const spelled = { ...desk.env, PAYDESK_BASE_URL: desk.url.replace('127.0.0.1', 'localhost') };
    const same = await paydesk(['orders', 'refund', id, '--yes'], { home: ana, env: spelled });
    expect(same).toMatchObject({ code: 3 });
    expect(desk.changes().length).toBe(before);
    const { id: elsewhere } = await other.take(isWhole);
    const made = await paydesk(['orders', 'refund', elsewhere, '--yes'], { home: ana, env: other.env });
    expect(made).toMatchObject({ code: 0 });
    expect(await run(ana, 'journal', 'verify')).toMatchObject({ code: 0 });
  });

  test('another spelling of the address does not pass the team, even without the files that paydesk writes', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana');
    rmSync(join(ana.path, '.local', 'state', 'paydesk'), { recursive: true });
    const { id } = await desk.take(isWhole);
    const env = { ...desk.env, PAYDESK_BASE_URL: desk.url.replace('127.0.0.1', 'localhost') };
    const made = await paydesk(['orders', 'refund', id, '--yes'], { home: ana, env });
    expect(made).toMatchObject({ code: 0 });
    expect(await rowsAtServer()).toEqual(['sent ana', 'verdict ana']);
  });

  test('case 32: the password is in no message, no debug line, no file but one, and no log of the server', async () => {
    using ana = newHome();
    await newTeam('ana');
    const wrong = await paydesk(
      ['team', 'join', ...placeOf(), '--user', 'ana', '--password-stdin', '--yes', '--debug'],
      { home: ana, env: desk.env, input: 'wr0ng-pass-w0rd\n' },
    );
    expect(wrong).toMatchObject({ code: 3 });
    expect(wrong.stderr).toContain('look at the name ana, and type its password again');
    const joined = await joinAs(ana, 'ana', ['--debug']);
    const shown = await run(ana, 'team', 'show', '--debug');
    const texts = [wrong, joined, shown].map(({ stdout, stderr }) => `${stdout}${stderr}`).join('');
    for (const password of ['wr0ng-pass-w0rd', ownPassword('ana'), server.address.password]) {
      expect(texts).not.toContain(password);
      expect(server.log).not.toContain(password);
    }
    const typed = await run(ana, 'team', 'join', '--desk', ownPassword('ana'));
    expect(typed).toMatchObject({ code: 2 });
    expect(typed.stderr).not.toContain(ownPassword('ana'));
  });
});

describe('leaving', () => {
  test('brings the rows of all into the journal of this machine, which takes changes again', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben');
    const [{ id: first }, { id: second }] = [await desk.take(isWhole), await desk.take(isWhole)];
    await run(ana, 'orders', 'refund', first, '--yes');
    await joinAs(ana, 'ana');
    await joinAs(ben, 'ben');
    const refund = ['orders', 'refund', second, '--amount', '100', '--intent', 'ticket-2', '--yes'];
    await run(ben, ...refund);
    const left = await run(ana, 'team', 'leave', '--yes', '--json');
    const known = (await rowsAtServer()).length;
    expect(JSON.parse(left.stdout)).toMatchObject({ rows_added: known - 2 });
    const before = desk.changes().length;
    expect(await run(ana, ...refund)).toMatchObject({ code: 0 });
    expect(desk.changes().length).toBe(before);
    const { id: third } = await desk.take(isWhole);
    expect(await run(ana, 'orders', 'refund', third, '--yes')).toMatchObject({ code: 0 });
    expect(await run(ana, 'journal', 'verify')).toMatchObject({ code: 0 });
    expect(await rowsAtServer()).toHaveLength(known);
    const back = await joinAs(ana, 'ana', ['--json']);
    expect(JSON.parse(back.stdout)).toMatchObject({ attempts: 3 });
    expect((await rowsAtServer()).filter((row) => row === 'sent ana imported')).toHaveLength(2);
    expect(await run(ben, 'team', 'verify')).toMatchObject({ code: 0 });
  });

  test('is refused while a change of anybody is unconfirmed, and while the server is away', async () => {
    using ana = newHome();
    using ben = newHome();
    await using proxy = await startCuttingProxy(server.address.port);
    await newTeam('ana', 'ben');
    await joinAs(ana, 'ana', [], proxy.port);
    await joinAs(ben, 'ben');
    const { id } = await desk.take(isWhole);
    losesReplies = true;
    await run(ben, 'orders', 'refund', id, '--yes');
    losesReplies = false;
    const refused = await run(ana, 'team', 'leave', '--yes');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain(`unconfirmed: ${id}`);
    proxy.refuse(true);
    expect(await run(ana, 'team', 'leave', '--yes')).toMatchObject({ code: 3 });
    const { id: other } = await desk.take(isWhole);
    const away = await run(ana, 'orders', 'refund', other, '--yes', '--json');
    expect(JSON.parse(away.stderr)).toMatchObject({
      kind: 'refused',
      exit_code: 3,
      code: 'team_server_away',
    });
    proxy.refuse(false);
    expect(await run(ana, 'team', 'show')).toMatchObject({ code: 0 });
  });
});

describe('one view', () => {
  test('an unconfirmed change of somebody else shows to all, blocks its order at every desk, and anybody may settle it under the own name', async () => {
    using ana = newHome();
    using ben = newHome();
    await newTeam('ana', 'ben');
    await joinAs(ana, 'ana');
    await joinAs(ben, 'ben', ['--desk', 'desk-2']);
    const { id } = await desk.take(isWhole);
    losesReplies = true;
    await run(ben, 'orders', 'refund', id, '--yes');
    losesReplies = false;
    const shown = await run(ana, 'team', 'show', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ unconfirmed: [{ order: id, operator: 'ben' }] });
    const before = desk.changes().length;
    const refused = await run(ana, 'orders', 'refund', id, '--yes');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('by ben on desk-2');
    expect(desk.changes().length).toBe(before);
    const settled = ['--applied', '--note', 'seen at the bank', '--yes', '--confirm', id];
    const { unconfirmed } = JSON.parse(shown.stdout);
    const said = await paydesk(['journal', 'settle', unconfirmed[0].intent, ...settled], {
      home: ana,
      env: { ...desk.env, PAYDESK_OPERATOR: 'somebody else' },
    });
    expect(said.stderr).toContain('sent just now by ben on desk-2');
    expect(await rowsAtServer()).toContain('verdict ana');
    const told = await run(ben, 'journal', 'show', unconfirmed[0].intent, '--json');
    expect(JSON.parse(told.stdout).stated_by).toBe('ana');
  });
});

describe('limits', () => {
  test('are set by a lead only, hold for the next refund, and each change is a row', async () => {
    using ana = newHome();
    using lea = newHome();
    await newTeam('ana', 'lea');
    await joinAs(ana, 'ana');
    await joinAs(lea, 'lea');
    const { id, currency } = await desk.take(isWhole);
    const set = ['team', 'limits', 'set', 'all', currency, '--max', '99', '--yes'];
    const member = await run(ana, ...set);
    expect(member).toMatchObject({ code: 3 });
    expect(member.stderr).toContain('only a lead may do that; ask an administrator of the database');
    expect(await run(lea, ...set)).toMatchObject({ code: 0 });
    const { stdout } = await run(ana, 'team', 'limits', '--json');
    expect(JSON.parse(stdout).data).toMatchObject([
      { member: 'all', limit: 'max', value: 99, set_by: 'lea' },
    ]);
    const before = desk.changes().length;
    const over = await run(ana, 'orders', 'refund', id, '--amount', '100', '--yes', '--json');
    expect(over).toMatchObject({ code: 3 });
    expect(JSON.parse(over.stderr)).toMatchObject({ kind: 'refused', code: 'team_limit_max' });
    expect(desk.changes().length).toBe(before);
    expect(await rowsAtServer()).toEqual(['limit lea']);
    await run(lea, 'team', 'limits', 'set', 'all', currency, '--need-note', 'yes', '--yes');
    expect((await run(ana, 'team', 'limits')).stdout).toMatch(/ note +yes +lea/);
    expect(await run(lea, 'team', 'limits', 'set', 'all', currency)).toMatchObject({ code: 2 });
  });
});

describe('for an auditor', () => {
  test('what a lead erases stays in the copy of another desk until team verify runs there', async () => {
    using ana = newHome();
    using lea = newHome();
    await newTeam('ana', 'lea');
    await joinAs(ana, 'ana');
    await joinAs(lea, 'lea');
    const { id } = await desk.take(isWhole);
    await run(ana, 'orders', 'refund', id, '--note', 'for Mrs Lopez', '--yes');
    const copyHolds = () => {
      const folder = join(ana.path, '.local', 'state', 'paydesk', 'team');
      const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.db'));
      return readFileSync(join(folder, file)).includes('Mrs Lopez');
    };
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const forgot = await run(lea, 'journal', 'forget', '--before', tomorrow, '--yes');
    expect(forgot).toMatchObject({ code: 0 });
    expect(forgot.stderr).toContain('paydesk team verify');
    expect(copyHolds()).toBe(true);
    const verified = await run(ana, 'team', 'verify');
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.stderr).toContain('erased here too, as at the server: bodies and notes of 1 change');
    expect(copyHolds()).toBe(false);
    expect(await run(ana, 'team', 'verify')).toMatchObject({ code: 0, stderr: '' });
  });

  test('journal verify of a desk with a team names the server, and no witness', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana');
    const shown = await run(ana, 'journal', 'verify');
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain(`127.0.0.1:${server.address.port}/${database}`);
    expect(shown.stdout).not.toContain('witness');
  });

  test('a wrong password is refused before anything is asked, and nothing is said to have changed', async () => {
    using ana = newHome();
    await newTeam('ana');
    const words = ['team', 'join', ...placeOf(), '--user', 'ana', '--password-stdin'];
    const wrong = await paydesk(words, { home: ana, env: desk.env, input: 'short\n' });
    expect(wrong).toMatchObject({ code: 3 });
    expect(wrong.stderr).toContain('look at the name ana, and type its password again');
    expect(wrong.stderr).toContain('nothing was changed');
    expect(wrong.stderr).not.toContain('nothing is sent');
  });

  test('a damaged file of the teams is moved away, and its team joined again', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana');
    const file = join(ana.path, '.config', 'paydesk', 'teams.json');
    writeFileSync(file, '{', { mode: 0o600 });
    const refused = await run(ana, 'team', 'show');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('move it away, and join again every team');
    rmSync(file);
    expect(await joinAs(ana, 'ana')).toMatchObject({ code: 0 });
  });

  test('after a failover a desk refuses the server until somebody accepts it, and then goes on', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana');
    const { id } = await desk.take(isWhole);
    expect(await run(ana, 'orders', 'refund', id, '--yes')).toMatchObject({ code: 0 });
    const folder = join(ana.path, '.local', 'state', 'paydesk', 'team');
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.db'));
    const mirror = new DatabaseSync(join(folder, file));
    mirror.exec('update server set timeline = timeline + 1');
    mirror.close();
    const { id: next } = await desk.take(isWhole);
    const before = desk.changes().length;
    const refused = await run(ana, 'orders', 'refund', next, '--yes');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('paydesk team verify --accept-server');
    expect(desk.changes().length).toBe(before);
    const looked = await run(ana, 'team', 'verify');
    expect(looked).toMatchObject({ code: 3 });
    expect(looked.stderr).toContain('although no row is missing');
    const accepted = await run(ana, 'team', 'verify', '--accept-server', '--yes', '--json');
    expect(JSON.parse(accepted.stdout)).toMatchObject({ accepted: true, findings: [] });
    expect(await run(ana, 'orders', 'refund', next, '--yes')).toMatchObject({ code: 0 });
    const again = await run(ana, 'team', 'verify', '--accept-server', '--yes');
    expect(again.stderr).toContain('nothing had to be accepted');
  });

  test('a row that somebody changed in the database shows against the copy of a desk', async () => {
    using ana = newHome();
    await newTeam('ana');
    await joinAs(ana, 'ana');
    const { id } = await desk.take(isWhole);
    await run(ana, 'orders', 'refund', id, '--yes');
    const { stdout } = await run(ana, 'team', 'export');
    const rows = stdout.trim().split('\n');
    expect(rows).toHaveLength(2);
    expect(JSON.parse(rows[1] ?? '')).toMatchObject({ seq: 2, prev: JSON.parse(rows[0] ?? '').hash });
    await using inside = await signIn(server.address, database);
    await inside.query(`set session_replication_role = replica`);
    await inside.query(
      `update paydesk.rows set row = replace(row, '"operator":"ana"', '"operator":"ben"') where seq = 1`,
    );
    const found = await run(ana, 'team', 'verify');
    expect(found).toMatchObject({ code: 3 });
    const [{ intent }] = JSON.parse((await run(ana, 'journal', 'list', '--json')).stdout).data;
    const { amount: figure, currency } = await desk.order(id);
    expect(found.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `row 1 was changed: the sending of ${intent} on ${id}, ${figure} ${currency}`,
    );
  });
});
