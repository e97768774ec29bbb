/** What a TAB is answered, whatever the shell. */

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ordinaryUser } from '../../harness/ordinary-user.ts';
import { newHome, paydesk } from '../../harness/paydesk.ts';
import { demoOrder, refundOnDemo, shellDesk } from './desk.ts';

const fileNames = 10;

/** Asks for the last of the words, as zsh does. */
async function offered(words: readonly string[], desk: Awaited<ReturnType<typeof shellDesk>>, env = {}) {
  const ran = await paydesk(['__complete', 'zsh', String(words.length - 1), ...words], {
    home: desk.home,
    env,
  });
  expect(ran.stderr).toBe('');
  return { ...ran, values: ran.stdout.split('\n').flatMap((line) => line.split('\t')[0] || []) };
}

test('completes words, local and global options, their values, profiles and help topics (C67)', async () => {
  using desk = await shellDesk();
  const reasons = [
    'requested_by_client',
    'cannot_be_fulfilled',
    'duplicated_transaction',
    'suspected_fraud',
    'other',
  ];
  const cases: readonly (readonly [line: string, values: readonly string[]])[] = [
    ['ord', ['orders']],
    ['-p demo ord', ['orders']],
    ['--profile=demo --json orders sh', ['show']],
    ['orders refund --rea', ['--reason']],
    ['orders refund --reason ', reasons],
    ['orders refund --reason=su', ['--reason=suspected_fraud']],
    ['orders refund ord_1 --charge 1 --reason re', ['requested_by_client']],
    ['orders list --col', ['--columns', '--color']],
    ['--color ', ['auto', 'always', 'never']],
    ['-o nd', ['ndjson']],
    ['orders list -ojs', ['-ojson']],
    ['-qo cs', ['csv']],
    ['-p ', ['shop-mx', 'test-mx', 'demo']],
    ['orders list -pte', ['-ptest-mx']],
    ['orders list --profile sh', ['shop-mx']],
    ['profile use ', ['shop-mx', 'test-mx', 'demo']],
    ['profile add ', []],
    ['profile set test-mx redact ', ['on', 'off', 'default']],
    ['profile set test-mx refund.max', ['refund.max_age', 'refund.max_amount.CUR']],
    ['orders list --status pa', ['paid', 'partially_refunded', 'partially_paid']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell', 'man']],
    ['help ex', ['exit-codes', 'exports']],
    ['help orders ref', ['refund']],
    ['orders refund --amount ', []],
    ['orders list -- --js', []],
    ['nonsense ', []],
    ['constructor __proto__ --constructor ', []],
  ];
  for (const [line, values] of cases) {
    const { code, values: found } = await offered(line.split(' '), desk);
    expect([...found].sort(), line).toEqual([...values].sort());
    expect(code, line).toBe(0);
  }
});

test('offers local options before global ones, and none twice or against another (C67)', async () => {
  using desk = await shellDesk();
  const first = await offered(['orders', 'refund', '--'], desk);
  expect(first.values.slice(0, 3)).toEqual(['--charge', '--amount', '--reason']);
  expect(first.values).toContain('--timeout');
  expect(first.stdout).toContain('--dry-run\tread, show what would be sent, and send nothing\n');
  const later = await offered(['orders', 'refund', '--reason', 'other', '--json', '--'], desk);
  expect(later.values).not.toContain('--reason');
  expect(later.values).not.toContain('--json');
  expect(later.values).not.toContain('--csv');
});

test('offers orders that the journal of this machine knows, and asks no service (C67)', async () => {
  using desk = await shellDesk();
  await refundOnDemo(desk.home);
  const before = filesOf(desk.home.path);
  expect((await offered(['orders', 'show', ''], desk)).stdout).toMatch(
    new RegExp(`^${demoOrder}\trefund of 200 [A-Z]{3}, \\d{4}-\\d\\d-\\d\\d\n$`),
  );
  expect((await offered(['-p', 'demo', 'orders', 'refund', 'ord_'], desk)).values).toEqual([demoOrder]);
  expect((await offered(['-p', 'shop-mx', 'orders', 'refund', ''], desk)).values).toEqual([]);
  const other = await offered(['orders', 'refund', ''], desk, { PAYDESK_PROFILE: 'test-mx' });
  expect(other.values).toEqual([]);
  expect((await offered(['journal', 'show', 'i_'], desk)).values).toHaveLength(1);
  // What says yes in production is typed, not offered.
  expect((await offered(['orders', 'refund', '--confirm', ''], desk)).values).toEqual([]);
  expect(filesOf(desk.home.path)).toEqual(before);
});

test('--charge offers the charges of the order that was typed before it, and makes no file', async () => {
  using desk = await shellDesk();
  await refundOnDemo(desk.home);
  const before = filesOf(desk.home.path);
  const asked = ['-p', 'demo', 'orders', 'refund', demoOrder, '--reason', 'other', '--charge'];
  expect((await offered([...asked, ''], desk)).stdout).toMatch(
    /^[0-9a-f]{24}\tcharge 1: 35000 MXN, \*4242, 22800 left\n[0-9a-f]{24}\tcharge 2: 17000 MXN, \*5100, 17000 left\n$/,
  );
  expect((await offered([...asked, ''], desk, { PAYDESK_AGENT: 'helper' })).stdout).toMatch(
    /^[0-9a-f]{24}\tcharge 1: 35000 MXN, 22800 left\n/,
  );
  const [first = ''] = (await offered([...asked, ''], desk)).values;
  expect((await offered([...asked, first.slice(0, 8)], desk)).values).toEqual([first]);
  const glued = ['-p', 'demo', 'orders', 'refund', demoOrder, `--charge=${first.slice(0, 8)}`];
  expect((await offered(glued, desk)).values).toEqual([`--charge=${first}`]);
  expect((await offered(['-p', 'demo', 'orders', 'refund', '--charge', ''], desk)).values).toEqual([]);
  expect((await offered(['-p', 'demo', 'orders', 'refund', 'ord_1', '--charge', ''], desk)).values).toEqual(
    [],
  );
  expect(filesOf(desk.home.path)).toEqual(before);
});

test('--charge offers what the journal knows of an order where that is all there is', async () => {
  using desk = await shellDesk();
  await refundOnDemo(desk.home);
  rmSync(join(desk.home.path, '.local/state/paydesk/simulator'), { recursive: true });
  const asked = ['-p', 'demo', 'orders', 'refund', demoOrder, '--charge', ''];
  expect((await offered(asked, desk)).stdout).toMatch(
    /^[0-9a-f]{24}\tcharge 1: 35000 MXN\n[0-9a-f]{24}\tcharge 2: 17000 MXN\n$/,
  );
  expect((await offered(['-p', 'shop-mx', ...asked.slice(2)], desk)).values).toEqual([]);
});

test('--reason offers every reason with its words', async () => {
  using desk = await shellDesk();
  expect((await offered(['orders', 'refund', '--reason', ''], desk)).stdout).toBe(
    [
      'requested_by_client\tthe buyer asked for it',
      'cannot_be_fulfilled\tthe order cannot be fulfilled',
      'duplicated_transaction\tthe buyer was charged twice',
      'suspected_fraud\tfraud is suspected',
      'other\tanother reason',
      '',
    ].join('\n'),
  );
});

test('leaves file names to the shell, which its exit code says (C67)', async () => {
  using desk = await shellDesk();
  const { code, stdout } = await offered(['profile', 'add', 'shop', '--from', ''], desk);
  expect({ code, stdout }).toEqual({ code: fileNames, stdout: '' });
});

test('damaged files, a strange shell and no words at all are answered with silence (C67)', async () => {
  using desk = await shellDesk();
  writeFileSync(join(desk.home.path, '.config/paydesk/profiles.json'), '{"profiles":{"a\\u001b[2J":1}');
  expect((await offered(['-p', ''], desk)).values).toEqual(['demo']);
  const lines = [
    ['__complete'],
    ['__complete', 'tcsh', '0'],
    ['__complete', 'bash'],
    ['__complete', 'zsh', 'x', 'y'],
  ];
  for (const line of lines) {
    const { code, stderr } = await paydesk(line, { home: desk.home });
    expect({ code, stderr }, line.join(' ')).toEqual({ code: 0, stderr: '' });
  }
});

test('completion and its callback work with HOME empty or not there, and make no file (C8, C65)', async () => {
  using home = newHome();
  const missing = { home, env: { HOME: join(home.path, 'missing') } };
  for (const [shell, options] of [
    ['bash', missing],
    ['zsh', { home }],
    ['fish', { home, env: { HOME: '' } }],
    ['powershell', missing],
  ] as const) {
    const ran = await paydesk(['completion', shell], options);
    expect(ran, shell).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('__complete');
  }
  const asked = await paydesk(['__complete', 'bash', '0', 'ord'], missing);
  expect(asked).toMatchObject({ code: 0, stdout: 'orders\n', stderr: '' });
  expect(filesOf(home.path)).toEqual([]);
});

test('a user whom the system does not know and who has no HOME gets help, scripts and candidates (C8)', async () => {
  using user = ordinaryUser();
  using home = newHome();
  // Where the program had to be copied for an ordinary user, nobody else reaches it.
  const reached = user.uid !== undefined && user.node === process.execPath;
  const strange = { home, env: { HOME: '' }, user: reached ? { ...user, uid: 54_321 } : user, cwd: '/' };
  for (const line of [['--help'], ['completion', 'bash'], ['__complete', 'bash', '0', 'ord']]) {
    const { code, stdout, stderr } = await paydesk(line, strange);
    expect({ code, stderr }, line.join(' ')).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('orders');
  }
});

test('an empty HOME does not make the current folder one: no profile is read from there', async () => {
  using desk = await shellDesk();
  const { stdout } = await paydesk(['__complete', 'bash', '1', '-p'], { home: desk.home, env: { HOME: '' } });
  expect(stdout).toContain('demo');
  expect(stdout).not.toContain('test-mx');
});

test('any other shell exits 2 and is told the supported ones (C65)', async () => {
  using home = newHome();
  for (const line of [
    ['completion', 'tcsh'],
    ['completion', ''],
  ]) {
    const { code, stdout, stderr } = await paydesk(line, { home });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('bash, zsh, fish, powershell');
  }
});

test('completion --help says how to install for each shell (C65)', async () => {
  using home = newHome();
  const { stdout } = await paydesk(['completion', '--help'], { home });
  for (const line of [
    'bash, in ~/.bashrc:\n  eval "$(paydesk completion bash)"',
    'zsh, in ~/.zshrc, after compinit:\n  eval "$(paydesk completion zsh)"',
    'paydesk completion fish > ~/.config/fish/completions/paydesk.fish',
    'PowerShell, in $PROFILE:\n  paydesk completion powershell | Out-String | Invoke-Expression',
  ]) {
    expect(stdout).toContain(line);
  }
});

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.includes('.cache'),
  );
}
