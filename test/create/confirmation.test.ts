/** Creations are confirmed: by a question or --yes in a sandbox, by the profile's name in production. */

import { describe, expect, test } from 'vitest';
import { sit } from '../harness/person.ts';
import { type Service, sentTo, startCreations } from '../harness/service.ts';
import { atTerminal } from '../harness/terminal.ts';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['orders create', ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN']],
  ['checkout create', ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN']],
  ['api', ['api', 'POST', 'charges', '--field', 'amount=300']],
];

/** Runs it on a terminal, and types these keys at the question. */
async function answered(desk: Service, args: readonly string[], question: string, keys: string) {
  const person = sit(args, desk, 120);
  await person.answer(question, keys);
  return person.leaves;
}

describe.concurrent.each(commands)('%s', (_, args) => {
  test('in a script, a yes is needed', async () => {
    await using desk = await startCreations();
    const ran = await desk.run(args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('missing --yes');
    expect(desk.server.requests).toEqual([]);
  });

  test('in production --yes alone is not enough, another name neither, the name is', async () => {
    await using desk = await startCreations({ mode: 'production' });
    const yes = await desk.run([...args, '--yes']);
    expect(yes.code).toBe(2);
    expect(yes.stderr).toContain('missing --confirm PROFILE');
    const other = await desk.run([...args, '--confirm', 'shop']);
    expect(other.code).toBe(3);
    expect(other.stderr).toContain('--confirm shop does not name the profile environment');
    expect(sentTo(desk)).toEqual([]);
    await desk.run([...args, '--confirm', 'environment']);
    expect(sentTo(desk)).toHaveLength(1);
  });

  test('on a terminal the preview comes first, and a bare Enter sends nothing', async () => {
    await using desk = await startCreations();
    const { code, screen } = await answered(desk, args, 'Send it?', '\r');
    expect({ code, sent: sentTo(desk) }, screen).toEqual({ code: 3, sent: [] });
    expect(screen).toContain('will send once:');
  });

  test('on a terminal in production the name is asked for, and a bare Enter sends nothing', async () => {
    await using desk = await startCreations({ mode: 'production' });
    const { code, screen } = await answered(desk, args, 'or press Enter to cancel:', '\r');
    expect({ code, sent: sentTo(desk) }, screen).toEqual({ code: 3, sent: [] });
  });

  test('a key of the other mode is noticed before anything is sent', async () => {
    const newest = () => [{ id: 'ord_real1', object: 'order', livemode: true }];
    await using desk = await startCreations({ newest });
    const ran = await desk.run([...args, '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('ord_real1 is real money (livemode true)');
    expect(sentTo(desk)).toEqual([]);
  });

  test('--dry-run shows the request and sends nothing', async () => {
    await using desk = await startCreations();
    const ran = await desk.run([...args, '--dry-run', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ object: 'dry_run', method: 'POST' });
    expect(sentTo(desk)).toEqual([]);
  });
});

// One question asks for all three: what is answered to it is tried at one of them.
describe.concurrent.each(commands.slice(0, 1))('%s on a terminal', (_, args) => {
  test.each([
    ['no', 'n\r', 3],
    ['yes', 'y\r', 0],
  ])('answered with %s', async (_name, keys, code) => {
    await using desk = await startCreations();
    const left = await answered(desk, args, 'Send it?', keys);
    expect(left.code, left.screen).toBe(code);
    expect(sentTo(desk)).toHaveLength(code === 0 ? 1 : 0);
  });

  test('answered in production with the name', async () => {
    await using desk = await startCreations({ mode: 'production' });
    await answered(desk, args, 'or press Enter to cancel:', 'environment\r');
    expect(sentTo(desk)).toHaveLength(1);
  });

  test('answered in production with another word, it asks again, and Enter cancels', async () => {
    await using desk = await startCreations({ mode: 'production' });
    const person = sit(args, desk, 120);
    await person.answer('or press Enter to cancel:', '300\r');
    await person.answer('2 tries left', '\r');
    const { code, screen } = await person.leaves;
    expect({ code, sent: sentTo(desk) }, screen).toEqual({ code: 3, sent: [] });
  });
});

test.each([
  ['sandbox', 'missing --yes: --body - takes all of standard input'],
  ['production', 'missing --confirm PROFILE'],
] as const)(
  'at a terminal in %s, --body - leaves no answer, and that is said at once',
  async (mode, says) => {
    await using desk = await startCreations({ mode });
    const args = ['api', 'POST', 'things', '--body', '-'];
    const { exitCode, transcript } = await atTerminal(args, { home: desk.home, env: desk.env, columns: 120 })
      .end;
    expect({ exitCode, transcript }).toEqual({ exitCode: 2, transcript: expect.stringContaining(says) });
    expect(desk.server.requests).toEqual([]);
  },
);
