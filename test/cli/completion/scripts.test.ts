/**
 * The scripts in real shells. Bash where it is there; zsh and fish in the long run, installed
 * when missing. Not run here: the script for PowerShell, for which Debian has no package.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLong } from '../../harness/long.ts';
import { paydesk } from '../../harness/paydesk.ts';
import { withoutEscapes } from '../../harness/pty.ts';
import {
  completions,
  demoOrder,
  findProgram,
  installedShell,
  refundOnDemo,
  type ShellDesk,
  shellAtTerminal,
  shellDesk,
} from './desk.ts';

const bash = findProgram('bash');
const script = join(completions, 'paydesk.bash');

const files = { bash: 'paydesk.bash', zsh: '_paydesk', fish: 'paydesk.fish', powershell: 'paydesk.ps1' };

test('every script of completions/ is what the program prints: else npm run drift -- --write (C65)', async () => {
  using desk = await shellDesk();
  for (const [shell, file] of Object.entries(files)) {
    const { stdout } = await paydesk(['completion', shell], { home: desk.home });
    expect(stdout, file).toBe(readFileSync(join(completions, file), 'utf8'));
  }
});

/** What bash offers for the last of these words, as bash itself cuts them. */
function offeredByBash(desk: ShellDesk, words: readonly string[]): readonly string[] {
  const text = `. '${script}'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paydesk; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync(bash ?? '', ['--norc', '-uc', text, 'bash', ...words], {
    env: desk.env,
    cwd: desk.home.path,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

if (bash !== undefined) {
  test('the bash script passes bash -n, and is silent when it is sourced twice (C66)', async () => {
    using desk = await shellDesk();
    const twice = `set -eu; . '${script}'; . '${script}'; complete -p paydesk`;
    const options = { env: desk.env, encoding: 'utf8' } as const;
    expect(spawnSync(bash, ['-n', script], options)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(spawnSync(bash, ['--norc', '-c', twice], options)).toMatchObject({
      status: 0,
      stdout: 'complete -F _paydesk paydesk\n',
      stderr: '',
    });
  });

  test('bash offers what stands for words that it cuts at = and :, and for open quotes (C66)', async () => {
    using desk = await shellDesk();
    expect(offeredByBash(desk, ['paydesk', 'orders', 're'])).toEqual(['refund']);
    expect(offeredByBash(desk, ['paydesk', '-p', 'demo', 'orders', 're'])).toEqual(['refund']);
    expect(offeredByBash(desk, ['paydesk', 'orders', 'refund', '--reason', '=', 're'])).toEqual([
      'requested_by_client',
    ]);
    expect(offeredByBash(desk, ['paydesk', 'orders', 'refund', '--color', '='])).toEqual([
      'auto',
      'always',
      'never',
    ]);
    expect(offeredByBash(desk, ['paydesk', 'orders', 'refund', '--reason', '"su'])).toEqual([
      'suspected_fraud',
    ]);
    expect(
      offeredByBash(desk, ['paydesk', 'profile', 'add', '--base-url', 'https', ':', '//x', '--mode', 'p']),
    ).toEqual(['production']);
  });

  test('bash offers the orders that the journal knows (C67)', async () => {
    using desk = await shellDesk();
    await refundOnDemo(desk.home);
    expect(offeredByBash(desk, ['paydesk', 'orders', 'show', ''])).toEqual([demoOrder]);
  });

  test('nothing of what is typed is run by bash (C66)', async () => {
    using desk = await shellDesk();
    const traps = [
      '$(touch x)',
      '`touch x`',
      '"$(touch x)',
      '<(touch x)',
      `\${y:=$(touch x)}`,
      'a[$(touch x)]',
    ];
    // Each as the word that is completed, of a command and of an option, behind all of them as words before it.
    for (const trap of traps) {
      offeredByBash(desk, ['paydesk', 'orders', trap]);
      offeredByBash(desk, ['paydesk', 'orders', ...traps, '--reason', '=', trap]);
    }
    offeredByBash(desk, ['paydesk', '$(touch x)']);
    expect(existsSync(join(desk.home.path, 'x'))).toBe(false);
  });

  test('at a bash prompt without any package TAB completes, and runs nothing (C66)', async () => {
    using desk = await shellDesk();
    const shell = shellAtTerminal(bash, ['--noprofile', '--norc', '-i'], desk);
    shell.type(`PS1='ready> '; bind 'set show-all-if-ambiguous on'; . '${script}'; echo set-$((1 + 1))\r`);
    await shell.answer(/set-2[\s\S]*ready> /, 'paydesk ord\t');
    await shell.answer('paydesk orders ', 'refund --rea\t');
    await shell.answer('refund --reason ', '\t');
    await shell.waitFor('suspected_fraud');
    await shell.answer(/ready> paydesk orders refund --reason /, '\x15paydesk -p \t');
    await shell.waitFor('test-mx');
    await shell.answer(/ready> paydesk -p /, '\x15paydesk orders $(touch x)\t \t\x15echo still-$((1 + 1))\r');
    await shell.answer('still-2', 'exit\r');
    await shell.end;
    expect(existsSync(join(desk.home.path, 'x'))).toBe(false);
  });
}

if (isLong) {
  test('at a zsh prompt TAB completes with descriptions, and runs nothing', async () => {
    using desk = await shellDesk();
    const shell = shellAtTerminal(installedShell('zsh'), ['-f', '-i'], desk);
    const source = `. '${join(completions, '_paydesk')}'`;
    shell.type(
      `PS1='ready> '; autoload -Uz compinit && compinit -D; ${source}; ${source}; echo set-$((1 + 1))\r`,
    );
    await shell.answer(/set-2[\s\S]*ready> /, 'paydesk ord\t');
    await shell.answer('paydesk orders', 'refund --rea\t');
    await shell.answer('refund --reason', '\t');
    await shell.waitFor(/suspected_fraud +-- fraud is suspected/);
    shell.type('\x15paydesk -p \t');
    await shell.waitFor(/test-mx +-- sandbox/);
    // By default a TAB of zsh itself expands what is typed, whatever the command: that is not ours to test.
    shell.type(`\x15bindkey '^I' complete-word\r`);
    await shell.waitFor(/bindkey[\s\S]*ready> /);
    shell.type('\x15paydesk orders $(touch x)\t\x15paydesk orders $(touch x) \t\x15echo still-$((1 + 1))\r');
    await shell.answer('still-2', 'exit\r');
    const { transcript } = await shell.end;
    expect(withoutEscapes(transcript)).not.toMatch(/not found|bad|error/);
    expect(existsSync(join(desk.home.path, 'x'))).toBe(false);
  });

  test('fish completes with descriptions, and runs nothing', async () => {
    using desk = await shellDesk();
    await refundOnDemo(desk.home);
    const fish = installedShell('fish');
    const source = `source '${join(completions, 'paydesk.fish')}'`;
    const offered = (line: string) =>
      execFileSync(fish, ['--no-config', '-c', `${source}; ${source}; complete -C '${line}'`], {
        env: desk.env,
        cwd: desk.home.path,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    expect(offered('paydesk ord')).toMatch(/^orders\tList, show, .* orders\n$/);
    expect(offered('paydesk orders refund --rea')).toBe('--reason\tthe reason that the service is told\n');
    expect(offered('paydesk orders refund --reason ')).toContain('suspected_fraud\tfraud is suspected\n');
    expect(offered('paydesk orders refund --reason=su')).toContain('--reason=suspected_fraud\t');
    expect(offered('paydesk -p ')).toContain('test-mx\tsandbox\n');
    expect(offered('paydesk orders show ')).toContain(`${demoOrder}\t`);
    for (const trap of ['(touch x)', '$(touch x)', '"$(touch x)']) {
      offered(`paydesk orders ${trap}`);
      offered(`paydesk orders ${trap} --reason `);
    }
    expect(existsSync(join(desk.home.path, 'x'))).toBe(false);
  });
}
