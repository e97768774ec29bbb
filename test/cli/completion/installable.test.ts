/** `--install` of completions and man page: says what it writes, writes it where it is looked for, and replaces nothing of others. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome, paydesk } from '../../harness/paydesk.ts';
import { sit } from '../../harness/person.ts';

const places = [
  ['completion bash', '.local/share/bash-completion/completions/paydesk', 'completions/paydesk.bash'],
  ['completion zsh', '.local/share/zsh/site-functions/_paydesk', 'completions/_paydesk'],
  ['completion fish', '.config/fish/completions/paydesk.fish', 'completions/paydesk.fish'],
  ['help man', '.local/share/man/man1/paydesk.1', 'man/paydesk.1'],
] as const;
const textOf = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

test.each(places)(
  '%s --install writes what it prints, and writes it again over its own',
  async (line, place, own) => {
    using home = newHome();
    const words = line.split(' ');
    const file = join(home.path, place);

    expect((await paydesk(words, { home })).stdout).toBe(textOf(own));
    expect(await paydesk([...words, '--install', '--yes'], { home })).toMatchObject({
      code: 0,
      stdout: `written: ${file}\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe(textOf(own));
    writeFileSync(file, textOf(own).split('\n').slice(0, 5).join('\n'));
    expect((await paydesk([...words, '--install', '--yes'], { home })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(textOf(own));
  },
);

test.each(places)('%s --install replaces no file of others', async (line, place) => {
  using home = newHome();
  const file = join(home.path, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '# mine\n');

  expect(await paydesk([...line.split(' '), '--install', '--yes'], { home })).toMatchObject({
    code: 3,
    stderr: `refused: ${file} was not written by paydesk\ncertain: nothing was written\nnow:     move it away, then run the command again\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('# mine\n');
});

test('whoever sits there reads the name of the file before it is written', async () => {
  using home = newHome();
  const person = sit(['completion', 'fish', '--install'], { home, env: {} });
  await person.answer('.config/fish/completions/paydesk.fish? (y/N)', 'y\r');
  expect((await person.leaves).code).toBe(0);
  expect(readdirSync(join(home.path, '.config/fish/completions'))).toEqual(['paydesk.fish']);
});

test('without a yes nothing is written', async () => {
  using home = newHome();
  expect((await paydesk(['completion', 'fish', '--install'], { home })).code).toBe(2);
  expect((await paydesk(['help', 'man', '--install', '--dry-run'], { home })).stdout).toContain(
    'would write ',
  );
  expect(readdirSync(home.path)).toEqual([]);
});
