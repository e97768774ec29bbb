/** Help and docs. */

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { layOut } from '../../src/cli/help/help-page.ts';
import { topicFile, topics } from '../../src/cli/help/help-topics.ts';
import { globalFlags } from '../../src/cli/typed/global-options.ts';
import { each } from '../harness/each.ts';
import { groupNames, helpOf, leafCommands, optionsOf, textOf } from '../harness/help-text.ts';
import { bin, cleanEnv, newHome, paydesk, paydeskProcess } from '../harness/paydesk.ts';
import { json } from '../harness/server.ts';
import { startAnswering } from '../harness/service.ts';
import { differences } from '../harness/two-widths.ts';

const root = join(import.meta.dirname, '../..');

test('--help and -h print the same text to stdout, nothing to stderr, and exit 0 (C1)', async () => {
  using home = newHome();
  const [long, short] = await each(['--help', '-h'], (flag) => paydesk([flag], { home }));
  expect(long).toMatchObject({ code: 0, stderr: '' });
  expect(long?.stdout).toContain('orders');
  expect(short).toEqual(long);
});

test('paydesk alone prints the same, and all nouns fit on a screen of 24 lines of 80 columns', async () => {
  const page = await textOf(['--help'], 80);
  expect(await textOf([], 80)).toBe(page);
  const lines = page.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const [noun] of await leafCommands())
    expect(lines.filter((line) => line.startsWith(`  ${noun} `))).toHaveLength(1);
  expect(page).toContain('paydesk orders --help');
  expect(page).toContain('paydesk help commands');
});

test('paydesk alone and a bare noun print concise help with an example, exit 0 and send nothing (C2)', async () => {
  await using desk = await startAnswering(json({}));
  const ran = await each([[], ['orders']], (line) => desk.run(line));
  for (const one of ran) expect(one).toMatchObject({ code: 0, stderr: '' });
  const others = await each(await groupNames(), (noun) => textOf([noun], 80));
  for (const text of [...ran.map(({ stdout }) => stdout), ...others]) {
    expect(text).toContain('--help');
    expect(text).toMatch(/^ +(\$ )?paydesk \S+ /m);
    expect(text.trimEnd().split('\n').length).toBeLessThan(30);
  }
  expect(desk.server.connections).toBe(0);
});

test('X --help, X -h and help X are the same text for every command and noun (C3)', async () => {
  for (const words of [...(await leafCommands()), ...(await groupNames()).map((noun) => [noun])]) {
    const name = words.join(' ');
    const text = await textOf([...words, '--help'], 80);
    expect(text, name).toContain(`Usage: paydesk ${name}`);
    expect(await textOf([...words, '-h'], 80), name).toBe(text);
    expect(await textOf(['help', ...words], 80), name).toBe(text);
  }
});

test('the program prints that text to stdout, nothing to stderr, and exits 0 (C3)', async () => {
  using home = newHome();
  for (const words of [['orders'], ['orders', 'refund']]) {
    const stdout = `${(await textOf([...words, '--help'], 80)).trimEnd()}\n`;
    const lines = [
      [...words, '--help'],
      [...words, '-h'],
      ['help', ...words],
    ];
    for (const ran of await each(lines, (line) => paydesk(line, { home }))) {
      expect(ran, words.join(' ')).toEqual({ code: 0, signal: null, stdout, stderr: '' });
    }
  }
});

test('the pages that the build wrote are the pages of the program', async () => {
  const written = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../dist/help', `${name}.json`), 'utf8');
  const lines = [[], ...(await groupNames()).map((noun) => [noun]), ...(await leafCommands())];
  for (const words of lines) {
    const page = JSON.parse(written(words.length === 0 ? 'paydesk' : words.join('.')));
    for (const columns of [40, 80, 120])
      expect(layOut(page, columns)).toBe(await textOf([...words, '--help'], columns));
  }
  for (const words of await leafCommands())
    expect(layOut(JSON.parse(written(`${words.join('.')}-all`)), 120)).toBe(await helpOf(words));
});

test('a word behind a command does not choose another page than its own', async () => {
  using home = newHome();
  const lines = ['orders show --help', 'orders show all --help', 'orders show refund -h'];
  const [page, ...others] = await each(lines, (line) => paydeskProcess(line.split(' '), { home }));
  expect(page?.stdout).toContain('Usage: paydesk orders show');
  for (const other of others) expect(other).toEqual(page);
});

test('a page that a pipe has not enough room for is written once, as soon as somebody reads', async () => {
  using home = newHome();
  const path = join(home.path, 'pipe');
  spawnSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  // A pipe has 16 pages; one is left.
  const pageSize = 4096;
  for (let pages = 0; pages < 15; pages += 1) writeSync(pipe, Buffer.alloc(pageSize));
  const line = ['orders', 'create', '--help', '--all'];
  // Node would make a pipe that is the stdout of a child block again.
  const child = spawn('sh', ['-c', 'exec "$0" "$@" >&3', process.execPath, bin, ...line], {
    env: cleanEnv({ home }),
    stdio: ['ignore', 'ignore', 'ignore', pipe],
  });
  const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]);
  while (written() < pageSize) await setTimeout(20);
  const read: Buffer[] = [];
  for (;;) {
    const bytes = Buffer.alloc(pageSize);
    try {
      read.push(bytes.subarray(0, readSync(pipe, bytes)));
    } catch {
      if (child.exitCode !== null) break;
      await setTimeout(20);
    }
  }
  closeSync(pipe);
  const page = await textOf(line, 80);
  const text = Buffer.concat(read)
    .subarray(15 * pageSize)
    .toString();
  expect({ code: child.exitCode, text }).toEqual({ code: 0, text: `${page.trimEnd()}\n` });
});

test('a page that cannot be written is an incomplete output, like any other', async () => {
  using home = newHome();
  for (const to of ['/dev/full', '&-']) {
    const line = `exec "$0" "$@" >${to}`;
    const options = { env: cleanEnv({ home }), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, bin, '--help'], options);
    expect([status, stderr]).toEqual([9, expect.stringContaining('incomplete')]);
  }
});

test('--help at the end of any line shows help of its command and sends nothing (C4)', async () => {
  await using desk = await startAnswering(json({}));
  const cases: readonly (readonly [words: string, line: readonly string[]])[] = [
    ['orders show', ['orders', 'show', '--help']],
    ['orders show', ['orders', 'show', 'not-an-id', '--help']],
    ['orders show', ['orders', 'show', 'ord_1', 'ord_2', 'ord_3', '--help']],
    ['orders list', ['orders', 'list', '--nonsense', '--help']],
    ['orders list', ['orders', 'list', '--nonsense=7', '-h']],
    ['orders list', ['orders', 'list', '--limit', '--help']],
    ['orders list', ['orders', 'list', '--limit', 'many', '--help']],
    ['orders list', ['--json', '-p', 'demo', 'orders', 'list', '--csv', '--help']],
    ['orders list', ['--nonsense', 'orders', 'list', '--help']],
    ['orders refund', ['orders', 'refund', '--amount', '-5', '--amount', '7', '--help']],
    ['orders refund', ['orders', 'refund', '-q', '-h']],
    ['orders', ['orders', '--nonsense', '--help']],
    ['orders', ['orders', 'lst', '--help']],
    ['[options]', ['ordres', 'list', '--help']],
    ['[options]', ['--nonsense', '--help']],
  ];
  for (const [words, line] of cases) {
    expect(await textOf(line, 80), line.join(' ')).toContain(`Usage: paydesk ${words}`);
  }
  // By the built program: a command, a noun, and what is neither.
  const started = cases.filter(([, line]) => line.some((word) => /^(--nonsense|-q|lst)$/.test(word)));
  const ran = await each(started, ([, line]) => desk.run(line));
  for (const [index, [words, line]] of started.entries()) {
    expect(ran[index], line.join(' ')).toMatchObject({ code: 0, stderr: '' });
    expect(ran[index]?.stdout, line.join(' ')).toContain(`Usage: paydesk ${words}`);
  }
  expect(desk.server.connections).toBe(0);
});

test('--help behind -- is an argument like any other (C4)', async () => {
  await using desk = await startAnswering(json({}));
  const ran = await desk.run(['orders', 'show', '--', '--help']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('--help: not the id of an order');
});

test('help for something that does not exist exits 2, names it on stderr and prints nothing on stdout (C5)', async () => {
  using home = newHome();
  const lines = ['help nonsense', 'help orders nonsense', 'help nonsense list', 'help orders list nonsense'];
  for (const ran of await each(lines, (line) => paydesk(line.split(' '), { home }))) {
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('nonsense');
    expect(ran.stderr).toContain('paydesk help commands');
  }
});

test('the help topics exist and list every code, every format and every variable that help names (C7)', async () => {
  const [codes = '', output = '', environment = '', safety = ''] = await Promise.all(
    ['exit-codes', 'output', 'environment', 'safety'].map((topic) => textOf(['help', topic], 80)),
  );
  const listed = [...codes.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 129, 130, 141, 143]);
  for (const format of ['table', 'list', 'json', 'ndjson', 'csv'])
    expect(output).toContain(`  -o ${format} `);
  for (const words of await leafCommands()) {
    for (const [variable] of (await helpOf(words)).matchAll(/PAYDESK_[A-Z_]+/g)) {
      expect(environment, words.join(' ')).toContain(variable);
    }
  }
  expect(safety).toContain('journal');
});

test('help TOPIC prints the pages of docs; none is called like a noun', async () => {
  const nouns = (await leafCommands()).map(([noun]) => noun);
  expect(Object.keys(topics).filter((name) => nouns.includes(name))).toEqual([]);
  const all = await textOf(['help', 'commands'], 80);
  for (const [name, { summary }] of Object.entries(topics)) {
    const page = await textOf(['help', name], 80);
    const [title = ''] = /^# (.*)$/m.exec(readFileSync(join(root, topicFile(name)), 'utf8'))?.slice(1) ?? [];
    expect(page.split('\n')[0]).toBe(title);
    expect(page, name).not.toMatch(/\*\*|^#+ |<!--|\]\(|^\|/m);
    expect(all.replaceAll(/\s+/g, ' ')).toContain(`${name} ${summary}`);
  }
});

test('help check-proof prints the script as it is, which prove --help and help evidence name', async () => {
  const script = readFileSync(join(root, 'docs/check-proof.mjs'), 'utf8');
  expect(await textOf(['help', 'check-proof'], 40)).toBe(script);
  expect(JSON.parse(await textOf(['help', 'check-proof', '--json'], 40))).toMatchObject({ text: script });
  for (const line of [
    ['prove', '--help'],
    ['help', 'evidence'],
  ])
    expect(await textOf(line, 120)).toContain('paydesk help check-proof > check-proof.mjs');
});

test('a page of docs as help prints it', async () => {
  expect(await textOf(['help', 'exit-codes'], 80)).toMatchInlineSnapshot(`
    "Exit codes

    What a script can rely on.

      0    done, and confirmed
      1    unexpected: a bug, or a reply to a read that makes no sense
      2    usage: a bad, missing or contradictory argument, flag or file; nothing
           was sent
      3    refused by paydesk, or declined at a prompt; nothing was sent
      4    no profile, no key, or the key was not accepted
      5    refused by the service, or not found there
      6    network, timeout, or a service that fails or wants fewer requests;
           certainly nothing changed
      7    a person must look: a change is unconfirmed, or a duplicate is likely
      8    some rows of a file or plan are not refunded, or cannot be
      9    output or record incomplete: disk full, pipe closed early, a list broke
           off between pages, a limit reached
      129  hang-up, while no change was being sent
      130  Ctrl-C, while no change was being sent
      141  the reader of the output went away, as head does; only for commands that
           change nothing
      143  terminated, while no change was being sent

    A refund that is pending ends with 0 too: the service has taken it, and decides
    later. paydesk journal show CHANGE reads the order again.

    Code 7 comes before every other: a service that wants fewer requests (429) is 6,
    but 7 as the reply to a change that was sent. After 2, 3, 4, 5 and 6 nothing was
    changed by this command.

    A value whose lack only the order shows, such as --charge where several cards
    paid it, is refused with 3, after the order was read. A value that is missing in
    any case is 2.
    "
  `);
});

test('help marks what is required and shows defaults, allowed values and variables of options (C7)', async () => {
  expect(await helpOf(['orders', 'show'])).toContain('paydesk orders show [options] <id>');
  const help = await helpOf(['orders', 'refund']);
  expect(help).toContain('paydesk orders refund [options] [id]');
  expect(help).toMatch(/--reason <R> .*requested_by_client/);
  expect(help).toMatch(/--timeout <SECONDS> .*default 60;\s+PAYDESK_TIMEOUT/);
});

test('help of a command shows its own options and five global ones, and --help --all every one', async () => {
  const everyone = ['profile', 'output', 'columns', 'yes', 'dry-run'];
  for (const words of await leafCommands()) {
    const [short, all] = await each([[], ['--all']], (more) => textOf([...words, '--help', ...more], 120));
    const own = optionsOf(all ?? '', true).map(({ name }) => name);
    expect(
      optionsOf(short ?? '').map(({ name }) => name),
      words.join(' '),
    ).toEqual([...own, ...everyone]);
    expect(short).toContain(`More options: paydesk ${words.join(' ')} --help --all\n`);
    expect(optionsOf(all ?? '').length).toBe(own.length + Object.keys(globalFlags).length);
    expect(await textOf(['help', ...words, '--all'], 120)).toBe(all);
  }
  expect((await textOf(['help', 'commands'], 80)).match(/^ {2}-/gm)?.length).toBe(
    Object.keys(globalFlags).length,
  );
});

test('the help of a short command at 80 and 120 columns', async () => {
  using home = newHome();
  const [narrow, wide] = await each([80, 120], (columns) =>
    paydesk(['profile', 'use', '--help'], { home, columns }),
  );
  expect(narrow?.stdout).toMatchInlineSnapshot(`
    "Make a profile the default

      $ paydesk profile use test-mx
      $ paydesk profile use demo --quiet

    Usage: paydesk profile use [options] <name>

    With several profiles, a change in production still needs -p or PAYDESK_PROFILE.

    Arguments:
      name                   name of the profile

    Global options:
      -p, --profile <NAME>   the account to talk to (PAYDESK_PROFILE)
      -o, --output <FORMAT>  how to print the result (one of table, list, json,
                             ndjson, csv, xlsx; default table; PAYDESK_OUTPUT)
      --columns <A,B,C>      columns by name or heading, also of csv and xlsx: see
                             paydesk help output (PAYDESK_COLUMNS)
      -y, --yes              answer yes to a confirmation (production needs
                             --confirm)
      --dry-run              read, show what would be sent, and send nothing

    More options: paydesk profile use --help --all
    Guide: paydesk help accounts
    Exit codes: paydesk help exit-codes
    "
  `);
  expect(differences(wide?.stdout ?? '', narrow?.stdout ?? '')).toMatchInlineSnapshot(`
    "instead of lines 15 to 20:
      -o, --output <FORMAT>  how to print the result (one of table, list, json, ndjson, csv, xlsx; default table;
                             PAYDESK_OUTPUT)
      --columns <A,B,C>      columns by name or heading, also of csv and xlsx: see paydesk help output (PAYDESK_COLUMNS)
      -y, --yes              answer yes to a confirmation (production needs --confirm)"
  `);
});
