/** Creations are confirmed: by a question or --yes in a sandbox, by the profile's name in production. */

import { describe, expect, test } from 'vitest';
import { withoutEscapes } from '../harness/pty.ts';
import { atTerminal } from '../harness/terminal.ts';
import { startCreations } from './service.ts';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['orders create', ['orders', 'create', '--item', 'Lamp:300:1', '--currency', 'MXN']],
  ['checkout create', ['checkout', 'create', '--name', 'Lamp', '--item', 'Lamp:300:1', '--currency', 'MXN']],
  ['api', ['api', 'POST', 'charges', '--field', 'amount=300']],
];

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
    expect(desk.posts()).toEqual([]);
    await desk.run([...args, '--confirm', 'environment']);
    expect(desk.posts()).toHaveLength(1);
  });

  test.each([
    ['a bare Enter', '\r', 3],
    ['no', 'n\r', 3],
    ['yes', 'y\r', 0],
  ])('on a terminal the preview comes first: %s', async (_name, keys, code) => {
    await using desk = await startCreations();
    const person = atTerminal(args, { home: desk.home, env: desk.env, columns: 120 });
    await person.answer('Send it?', keys);
    const { exitCode, transcript } = await person.end;
    expect(exitCode, transcript).toBe(code);
    expect(withoutEscapes(transcript)).toContain('will send once:');
    expect(desk.posts()).toHaveLength(code === 0 ? 1 : 0);
  });

  test.each([
    ['a bare Enter', '\r', 3],
    ['another word', '300\r', 3],
    ['the name', 'environment\r', 0],
  ])('on a terminal in production the name is typed: %s', async (_name, keys, code) => {
    const onChange = { mode: 'production' as const };
    await using desk = await startCreations(onChange);
    const person = atTerminal(args, { home: desk.home, env: desk.env, columns: 120 });
    await person.answer('or press Enter to cancel:', keys);
    const { exitCode, transcript } = await person.end;
    if (code === 0) expect(desk.posts()).toHaveLength(1);
    else expect({ exitCode, sent: desk.posts() }, transcript).toEqual({ exitCode: code, sent: [] });
  });

  test('a key of the other mode is noticed before anything is sent', async () => {
    const newest = () => [{ id: 'ord_real1', object: 'order', livemode: true }];
    await using desk = await startCreations({ newest });
    const ran = await desk.run([...args, '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('ord_real1 is real money (livemode true)');
    expect(desk.posts()).toEqual([]);
  });

  test('--dry-run shows the request and sends nothing', async () => {
    await using desk = await startCreations();
    const ran = await desk.run([...args, '--dry-run', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ object: 'dry_run', method: 'POST' });
    expect(desk.posts()).toEqual([]);
  });
});

test.each([
  ['sandbox', 'missing --yes: --body - reads standard input'],
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
