/** Every command of README and docs does what it says, run in the order of its page; and nothing is named that is not there. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refundReasons } from '../src/api/spec.ts';
import { globalFlags } from '../src/cli/typed/global-options.ts';
import { commands, findCommand, groups } from '../src/commands/commands.ts';
import { chargeOf, orderOf } from './harness/orders.ts';
import { type Home, newHome, paydesk } from './harness/paydesk.ts';
import { type Pty, runInPty } from './harness/pty.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import { isPlain, runLine, shellEnv, wordsOf } from './harness/shell.ts';

const root = join(import.meta.dirname, '..');
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];

// The set-up lines begin with `npm`. `.ci/run` runs `npm ci`; a test below installs the package.
const linesOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .filter((line) => !line.startsWith('npm '));

let shop: Service;
beforeAll(async () => {
  shop = await startService({ orders: [orderOf('ord_1', [chargeOf('ch_1', 35000)])] });
});
afterAll(() => shop[Symbol.asyncDispose]());

interface Spoken {
  readonly code: number;
  readonly talk: (terminal: Pty) => Promise<void>;
}

/** Lines that are for a person, without `npx `, and what that person types. */
const spoken = new Map<string, Spoken>([
  [
    'paydesk -p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 1 --amount 5000 --reason requested_by_client',
    {
      code: 0,
      talk: async (terminal) => {
        await terminal.answer('Note', '\r');
        await terminal.answer(/Send back .*\? \(y\/N\)/, 'y\r');
      },
    },
  ],
  [
    'paydesk refunds apply concert.plan',
    { code: 0, talk: (terminal) => terminal.answer('Send them? (y/N)', 'y\r') },
  ],
  [
    'paydesk profile add shop',
    {
      code: 0,
      talk: async (terminal) => {
        await terminal.answer('address of the service', `${shop.url}\r`);
        await terminal.answer('> sandbox', '\r');
        await terminal.answer('keep the key in a file that only you can read?', 'y\r');
        await terminal.answer('private key of shop', `${testKey}\r`);
        await terminal.answer('try the key before it is kept?', '\r');
        await terminal.answer('is this the right account?', 'y\r');
        await terminal.answer('whenever no -p is given?', '\r');
      },
    },
  ],
  [
    'paydesk simulator serve --port 4010',
    { code: 130, talk: (terminal) => terminal.answer(/url +http:\/\/127\.0\.0\.1:\d+/, '\x03') },
  ],
]);

test('README can be read in two minutes, and holds the set-up in two commands', () => {
  const readme = textOf('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1800);
  expect(readme).toContain('\nnpm ci && npx paydesk -p demo orders list\n');
  expect(readme).toContain('\nnpm ci && npm test\n');
  // contract/package.test.ts does this.
  expect(readme).toContain(
    '\nnpm run release -- --try && npm install --global ./reports/paydesk-0.1.0.tgz\n',
  );
  expect(textOf('CONTRIBUTING.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(textOf('docs/words.md').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});

describe.each(pages.filter((page) => linesOf(page).length > 0))('%s', (page) => {
  let home: Home;
  beforeAll(async () => {
    home = newHome();
    writeFileSync(join(home.path, 'key.txt'), `${testKey}\n`);
    // README adds this profile itself; the other pages are for somebody who has it.
    if (page !== 'README.md') {
      const { code } = await paydesk(
        [...'profile add shop --mode sandbox --key-store file --key-stdin --base-url'.split(' '), shop.url],
        { home, input: testKey },
      );
      expect(code).toBe(0);
    }
  });
  afterAll(() => home[Symbol.dispose]());

  test.each(linesOf(page))('%s', async (line) => {
    const typed = line.replaceAll('npx paydesk', 'paydesk');
    const person = spoken.get(typed);
    const ended = await (person === undefined ? alone(typed, home) : inTerminal(typed, person, home));
    expect(ended, ended.said).toMatchObject({ code: person?.code ?? 0 });
  });
});

test('docs/refunds.md names every reason with its words', () => {
  const page = textOf('docs/refunds.md').replaceAll(/\s+/g, ' ');
  for (const [reason, { words }] of Object.entries(refundReasons))
    expect(page).toContain(`\`${reason}\` (${words})`);
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

async function alone(line: string, home: Home): Promise<Ended> {
  // The service of the example is the one of this test.
  const typed = line.replace('https://pay.example.com/api', shop.url);
  const [, own = typed, reader] = /^(paydesk [^|]*) \| (jq .*)$/.exec(typed) ?? [];
  const isAlone = own.startsWith('paydesk ') && isPlain(own);
  const ran = await (isAlone ? paydesk(wordsOf(own).slice(1), { home }) : runLine(typed, { home }));
  if (!isAlone || reader === undefined) return { code: ran.code, said: ran.stderr };
  writeFileSync(join(home.path, 'printed'), ran.stdout);
  const read = await runLine(`${reader} < printed`, { home });
  return { code: ran.code === 0 ? read.code : ran.code, said: ran.stderr + read.stderr };
}

async function inTerminal(line: string, { talk }: Spoken, home: Home): Promise<Ended> {
  // Another program may have the port of the example.
  const typed = line.replace('--port 4010', '--port 0');
  const terminal = runInPty('/bin/bash', ['-c', typed], { cwd: home.path, env: shellEnv({ home }) });
  await talk(terminal);
  const { exitCode, transcript } = await terminal.end;
  return { code: exitCode, said: transcript };
}

describe.each([...pages, 'CONTRIBUTING.md'])('%s names only what is there', (page) => {
  const text = textOf(page);

  test('its commands and options', async () => {
    const mentioned = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(
      ([, span = '']) => span.replaceAll(/\s+/g, ' ').replace(/^(npx )?paydesk /, ''),
    );
    const nouns = Object.keys(groups);
    const wrong = mentioned.filter((span) => {
      const [noun = '', verb] = span.split(' ').filter((word) => !word.startsWith('-'));
      return nouns.includes(noun) && verb !== undefined && findCommand([noun, verb]) === undefined;
    });
    expect(wrong).toEqual([]);
    const options = new Set(Object.keys(globalFlags).map((name) => `--${name}`));
    for (const { load } of commands)
      for (const name of Object.keys((await load()).flags)) options.add(`--${name}`);
    const named = mentioned.flatMap((span) => span.match(/(?<=^|\s)--[a-z-]+/g) ?? []);
    expect(named.filter((name) => !options.has(name) && !ofOtherPrograms.has(name))).toEqual([]);
  });

  test('its links', () => {
    const links = [...text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, file = '', anchor]) => {
      const target = file === '' ? page : join(page, '..', file);
      const headings = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      return anchor !== undefined && !headings.includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** Options of `npm run bench` and of programs that copy files. */
const ofOtherPrograms = new Set([
  '--try',
  '--write',
  '--rows',
  '--ages',
  '--compare',
  '--days',
  '--inplace',
  '--overwrite',
  '--platform',
  '--maintainer',
  '--sign',
]);
