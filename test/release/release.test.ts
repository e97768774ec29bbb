/** What a software agent sends in production: a plan that a person released, as it was then, once, within an hour; else nothing. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalRows } from '../atmost/desk.ts';
import { later } from '../harness/clock.ts';
import { newHome } from '../harness/paydesk.ts';
import { sit } from '../harness/person.ts';
import { lastRecord } from '../harness/ran.ts';
import { forge } from '../refunds/forge.ts';
import { order, type RefundService, startRefunds } from '../refunds/refund-service.ts';
import {
  apply,
  asAgent,
  asAna,
  digestOf,
  enrol,
  keysFile,
  passphrase,
  planOf,
  proposed,
  release,
} from './released.ts';

const hour = 60 * 60_000;

test('a plan that an agent made and a person released is sent by the agent, and the journal says by whom it was released', async () => {
  await using service = await proposed();

  const released = await release(service);
  const applied = await apply(service);

  expect(released.code, released.screen).toBe(0);
  expect(released.screen).toContain('a rail, not a wall');
  expect(applied.code, applied.stderr).toBe(0);
  expect(service.made).toHaveLength(2);
  const sent = journalRows(service.home).filter(({ type }) => type === 'sent');
  const by = { by: 'ana', with: 'passphrase', isRail: true };
  expect(sent).toMatchObject([
    { operator: 'agent helper for ana', released: by },
    { operator: 'agent helper for ana', released: by },
  ]);
  const shown = await service.run(['journal', 'show', String(sent[0]?.change)], { columns: 120 });
  expect(shown.stdout).toContain('agent helper for ana, released by ana with a passphrase (a rail)');
  const listed = await service.run(['journal', 'list', '--json']);
  expect(listed.stdout).toContain('"released_by":"ana","released_with":"passphrase"');
  const named = await service.run(['journal', 'list', '--columns', 'order,released_by']);
  expect(named.stdout).toMatch(/RELEASED BY *\n\S+ +ana *\n/);
});

test('whoever releases a plan sees each of its rows before the digest is asked for', async () => {
  await using service = await proposed();
  const { screen } = await release(service);
  const [before = ''] = screen.split('Type the digest');
  expect(before).toMatch(/line 2 +ord_1 .* 35000 MXN/);
  expect(before).toMatch(/line 3 +ord_2 .* 100 MXN/);
});

test('whoever releases a plan sees its buyers and notes, and who made it; refunds status says that too', async () => {
  await using service = await proposed();
  service.write(
    'noted.csv',
    'order_id,charge_id,amount,reason,note\nord_1,any,100,other,broken in the post\n',
  );
  const totals = ['--expect-count', '1', '--expect-total', 'MXN=100'];
  await service.run(['refunds', 'plan', 'noted.csv', '--to', 'noted.plan', ...totals], { env: asAgent });
  const { screen } = await release(service, { plan: 'noted.plan' });
  const [before = ''] = screen.split('Type the digest');
  expect(before).toMatch(/line 2 +ord_1 +ch_ord_1 +100 MXN +other +ord_1@example\.com/);
  expect(before).toContain('line 2 note: broken in the post');
  expect(before).toContain('by agent helper for ana from noted.csv');
  const status = await service.run(['refunds', 'status', 'noted.plan']);
  expect(status.stderr).toMatch(/this plan was made .* by agent helper for ana from noted\.csv/);
});

test.each([
  ['releases a plan', ['release']],
  ['applies a plan at a terminal', ['refunds', 'apply']],
])(
  'whoever %s sees what it repeats and for whom, also if the file says nothing of that, and that the file names its author',
  async (_, words) => {
    await using service = await proposed();
    const id = service.refund('ord_2', 'ch_ord_2', 100);
    service.write('twice.csv', 'order_id,charge_id,amount\nord_2,any,100\n');
    const how = [
      '--to',
      'refunds.plan',
      '--force',
      '--again',
      id,
      '--expect-count',
      '1',
      '--expect-total',
      'MXN=100',
    ];
    const planned = await service.run(['refunds', 'plan', 'twice.csv', ...how], { env: asAgent });
    expect(planned.code, planned.stderr).toBe(0);
    forge(service, ([head = '', ...rows]) => [
      JSON.stringify({ ...JSON.parse(head), operator: 'lea' }),
      ...rows.map((row) => JSON.stringify({ ...JSON.parse(row), marks: [] })),
    ]);
    const env = { ...service.env, ...asAna };
    const person = sit([...words, 'refunds.plan'], { home: service.home, env }, 200);
    await person.answer('Type the digest', '\r');
    const { screen, code } = await person.leaves;
    expect([code, service.posts], screen).toEqual([3, []]);
    const [before = ''] = screen.split('Type the digest');
    expect(before).toContain('ord_2@example.com');
    expect(before).toContain(`line 2: repeats refund ${id}; this charge was refunded before: 100 MXN`);
    expect(before).toContain('by lea from twice.csv, as the plan says');
  },
);

type Change = (text: string) => string;

test('a release that somebody changed is refused, and nothing is sent; as it was made it counts', async () => {
  await using service = await proposed();
  await release(service);
  const made = service.read('refunds.plan.release');
  const forgeries: readonly (readonly [what: string, why: RegExp, change: Change])[] = [
    ['nothing in it', /not as paydesk writes it/, () => ''],
    ['another form', /not as paydesk writes it/, () => '{"released":true}\n'],
    ['a later end', /not from an enrolled key/, (text) => text.replace(/"until":\d/, '"until":9')],
    ['another signer', /not from an enrolled key/, (text) => text.replace('"by":"ana"', '"by":"eva"')],
    ['another id', /not from an enrolled key/, (text) => text.replace(/"id":"\w{4}/, '"id":"0000')],
    [
      'another digest',
      /not from an enrolled key/,
      (text) => text.replace(/"digest":"\w{8}/, '"digest":"00000000'),
    ],
    [
      'a field twice',
      /not as paydesk writes it/,
      (text) => text.replace('"by":"ana"', '"by":"ana","by":"ana"'),
    ],
    ['no signature', /not from an enrolled key/, (text) => `${text.split('\n')[0]}\n`],
    ['a signature cut short', /not from an enrolled key/, (text) => text.slice(0, -9)],
    ['lines behind it', /not as paydesk writes it/, (text) => `${text}more\n`],
  ];
  const tried: unknown[] = [];
  for (const [what, why, change] of forgeries) {
    service.write('refunds.plan.release', change(made));
    const { code, stderr } = await apply(service);
    tried.push([what, code, why.test(String(lastRecord(stderr).message)), lastRecord(stderr).certain]);
  }

  expect(tried).toEqual(forgeries.map(([what]) => [what, 3, true, 'nothing was sent']));
  expect(service.posts).toEqual([]);
  service.write('refunds.plan.release', made);
  expect((await apply(service)).code).toBe(0);
});

test.each<readonly [string, RegExp, (service: RefundService) => Promise<unknown>]>([
  ['no release', /nobody has released/, () => Promise.resolve()],
  [
    'a release by a key that is not enrolled any more',
    /not from an enrolled key/,
    async (service) => {
      await release(service);
      await enrol(service, 'another four words of hers');
      const [, second = ''] = service.read(keysFile).split('\n');
      service.write(keysFile, `${second}\n`);
    },
  ],
  [
    'a release of another plan',
    /for another plan/,
    async (service) => {
      await planOf(service, ['ord_2,any,100'], '100', 'other.plan');
      await release(service, { plan: 'other.plan' });
      service.write('refunds.plan.release', service.read('other.plan.release'));
    },
  ],
  [
    'a plan that somebody made anew after the release',
    /for another plan/,
    async (service) => {
      await release(service);
      await planOf(service, ['ord_1,any,full', 'ord_2,any,35000'], '70000');
    },
  ],
  [
    'a plan with a row less, and a digest that fits',
    /for another plan/,
    async (service) => {
      await release(service);
      forge(service, (lines) => lines.slice(0, -1));
    },
  ],
])('%s: refused, and nothing is sent', async (_, why, attempt) => {
  await using service = await proposed();
  await attempt(service);

  const applied = await apply(service);

  expect(applied.code, applied.stderr).toBe(3);
  expect(lastRecord(applied.stderr)).toMatchObject({
    message: expect.stringMatching(why),
    certain: 'nothing was sent',
  });
  expect(service.posts).toEqual([]);
});

test('a dry run of an agent says what would be sent, without a release', async () => {
  await using service = await proposed();
  const tried = await apply(service, {}, 'refunds.plan', '--dry-run');
  expect(tried.code, tried.stderr).toBe(0);
  expect(tried.stdout.match(/would_be_sent/g)).toHaveLength(2);
  expect(service.posts).toEqual([]);
});

test('in a sandbox an agent sends without a release, and that is said', async () => {
  await using service = await startRefunds([order('ord_1')]);
  await planOf(service, ['ord_1,any,full'], '35000');
  const confirm = ['--confirm', digestOf(service)];
  const { code, stderr } = await service.run(['refunds', 'apply', 'refunds.plan', ...confirm], {
    env: asAgent,
  });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'this is a sandbox: an agent sends without a release there, and none is recorded\n',
  );
  expect(service.posts).toHaveLength(1);
});

test('after an hour a release counts no more', async () => {
  await using service = await proposed();
  await release(service);

  const late = await apply(service, later(hour + 1000));
  const inTime = await apply(service, later(hour - 30_000));

  expect([late.code, inTime.code], inTime.stderr).toEqual([3, 0]);
  expect(lastRecord(late.stderr)).toMatchObject({
    message: 'the release has expired: it is valid for an hour',
  });
  expect(service.made).toHaveLength(2);
});

test('a release is for one sending: what a first one has left needs another', async () => {
  await using service = await proposed();
  await release(service);
  service.refund('ord_2', 'ch_ord_2', 7);

  const first = await apply(service);
  const again = await apply(service);

  expect([first.code, again.code]).toEqual([8, 3]);
  expect(lastRecord(again.stderr)).toMatchObject({ message: expect.stringContaining('was used before') });
  expect(service.posts).toHaveLength(1);
});

test('once all rows are made, the same command says so and needs no release', async () => {
  await using service = await proposed();
  await release(service);

  const first = await apply(service);
  const again = await apply(service);
  rmSync(join(service.home.path, 'refunds.plan.release'));
  const without = await apply(service);

  expect([first.code, again.code, without.code], again.stderr).toEqual([0, 0, 0]);
  expect(without.stderr).toContain('2 made');
  expect(service.posts).toHaveLength(2);
});

test.each([
  ['an agent at a terminal', asAgent, /agent helper started this run, and only a person releases a plan/],
  ['somebody who wants no questions', { PAYDESK_NO_INPUT: '1' }, /only a person at a terminal releases/],
])('%s releases nothing', async (_, env, why) => {
  await using service = await proposed();

  const person = sit(
    ['release', 'refunds.plan'],
    { home: service.home, env: { ...service.env, ...env } },
    200,
  );

  expect(await person.leaves).toMatchObject({ code: 3, screen: expect.stringMatching(why) });
});

test('without a terminal nothing is released or enrolled', async () => {
  await using service = await proposed();
  const tries = [
    await service.run(['release', 'refunds.plan', '--yes']),
    await service.run(['release', '--enrol'], { input: `${passphrase}\n${passphrase}\n` }),
    await service.run(['release', 'r_7f3k2m9q', '--yes']),
  ];
  expect(tries.map(({ code }) => code)).toEqual([3, 3, 3]);
});

test('who enrols a passphrase is told what a release proves where no policy names a file of another account', async () => {
  await using service = await proposed();
  const enrolled = await enrol(service, 'another four words of hers');
  expect(enrolled.code, enrolled.screen).toBe(0);
  expect(enrolled.screen).toContain('a rail, not a wall');
  expect(service.read(keysFile)).not.toContain('another four words');
  expect(service.read(keysFile).split('\n')).toHaveLength(3);
});

test('a wrong passphrase releases nothing, and a short one is not enrolled', async () => {
  await using service = await proposed();
  const wrong = await release(service, { words: 'five words of somebody' });
  const short = sit(['release', '--enrol'], { home: service.home, env: { ...service.env, ...asAna } }, 200);
  await short.answer('New passphrase', 'short\r');
  await short.waitFor('it needs 15 characters or more');
  short.type('\u0003');
  await short.leaves;

  const applied = await apply(service);

  expect([wrong.code, applied.code]).toEqual([3, 3]);
  expect(wrong.screen).toContain('this is not the passphrase of ana');
  expect(service.posts).toEqual([]);
});

test('another home has no enrolled key, and a release that was used in one finds the money gone in the other', async () => {
  await using service = await proposed();
  await release(service);
  using other = newHome();
  const elsewhere = { HOME: other.path, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };

  const moved = await apply(service, elsewhere);
  await apply(service);
  await enrol({ home: other, env: service.env });
  const enrolledThere = await apply(service, elsewhere);

  expect([moved.code, enrolledThere.code]).toEqual([3, 3]);
  expect(service.made).toHaveLength(2);
});
