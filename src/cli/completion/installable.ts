/** Where shells and man look for the completion scripts and the man page of paydesk. A file that is not from paydesk is not replaced. */

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Installable } from '../../context/context.ts';
import { CliError, refused, systemReason } from '../../errors.ts';
import { type Io, variable } from '../../io.ts';
import { packageFile } from '../../package-files.ts';
import type { Shell } from '../../terminal/terminal.ts';
import { completionScript } from './scripts.ts';

/** Where this reader looks in the home of this user. */
export function installable(reader: Shell | 'man', io: Pick<Io, 'env' | 'platform' | 'home'>): Installable {
  const [file, needs] = placeOf(reader, io) ?? [];
  const isThere = () => file !== undefined && isOwn(file);
  return {
    text: reader === 'man' ? packageFile('man/paydesk.1') : completionScript(reader),
    file,
    needs,
    isThere,
    write() {
      if (file === undefined) return;
      isThere();
      const whole = `${file}.new`;
      try {
        mkdirSync(posix.dirname(file), { recursive: true });
        // A run that was killed may have left such a file.
        rmSync(whole, { force: true });
        writeFileSync(whole, this.text, { flag: 'wx' });
        renameSync(whole, file);
      } catch (error) {
        rmSync(whole, { force: true });
        throw new CliError('refused', `${file} cannot be written: ${systemReason(error)}`, {
          certain: 'nothing was written',
          cause: error,
        });
      }
    },
  };
}

function placeOf(
  reader: Shell | 'man',
  { env, platform, home }: Pick<Io, 'env' | 'platform' | 'home'>,
): readonly [file: string, needs?: string] | undefined {
  if (platform === 'win32' || reader === 'powershell') return undefined;
  const base = (name: string, usual: string) => {
    const value = variable(env, name);
    return value !== undefined && posix.isAbsolute(value) ? value : posix.join(home(), usual);
  };
  const data = base('XDG_DATA_HOME', '.local/share');
  switch (reader) {
    case 'bash':
      return [
        posix.join(data, 'bash-completion/completions/paydesk'),
        'bash finds it with its package bash-completion',
      ];
    case 'zsh': {
      const folder = posix.join(data, 'zsh/site-functions');
      return [posix.join(folder, '_paydesk'), `in ~/.zshrc, before compinit: fpath=(${folder} $fpath)`];
    }
    case 'fish':
      return [posix.join(base('XDG_CONFIG_HOME', '.config'), 'fish/completions/paydesk.fish')];
    case 'man':
      return [posix.join(data, 'man/man1/paydesk.1'), 'man finds it if ~/.local/bin is in PATH'];
  }
}

// What paydesk makes for others says so in its first lines, in every version.
function isOwn(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const isMade =
    stat.isFile() && /^(.*\n){0,3}.*Made from the table of commands/.test(readFileSync(file, 'utf8'));
  if (isMade) return true;
  throw refused(`${file} was not written by paydesk`, ['move it away, then run the command again'], {
    certain: 'nothing was written',
  });
}
