/** Finds the folders of this user's files: configuration, state and cache. */

import { posix, win32 } from 'node:path';
import { type Env, variable } from '../io.ts';

/** Absolute paths. The folders may not exist yet. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
  /** The witness of the journal: not under `state`, where it would be restored, copied or deleted along with the journal. */
  readonly witness: string;
}

interface FolderParts {
  readonly env: Env;
  readonly platform: string;
  readonly home: string;
}

/**
 * Uses `$XDG_CONFIG_HOME/paydesk`, `$XDG_STATE_HOME/paydesk`, `$XDG_CACHE_HOME/paydesk` and `$XDG_DATA_HOME/paydesk/witness`. If a
 * variable is not set, or is relative, uses the system's usual folder. With only XDG_STATE_HOME set, the witness goes there too:
 * two such folders count as two machines, and each needs its own.
 */
export function findFolders(parts: FolderParts): Folders {
  const path = parts.platform === 'win32' ? win32 : posix;
  const join = (...names: string[]) => path.join(...names);
  const absolute = (name: string) => {
    const value = variable(parts.env, name);
    return value !== undefined && path.isAbsolute(value) ? value : undefined;
  };
  const xdg = (name: string, usual: string) => {
    const base = absolute(name);
    return base === undefined ? usual : join(base, 'paydesk');
  };
  const { config, state, cache, witness } = usualFolders(parts, join, absolute);
  const chosen = absolute('XDG_DATA_HOME') ?? absolute('XDG_STATE_HOME');
  return {
    config: xdg('XDG_CONFIG_HOME', config),
    state: xdg('XDG_STATE_HOME', state),
    cache: xdg('XDG_CACHE_HOME', cache),
    witness: chosen === undefined ? witness : join(chosen, 'paydesk', 'witness'),
  };
}

function usualFolders(
  { platform, home }: FolderParts,
  join: (...parts: string[]) => string,
  absolute: (name: string) => string | undefined,
): Folders {
  if (platform === 'win32') {
    const roaming = absolute('APPDATA') ?? join(home, 'AppData', 'Roaming');
    const local = absolute('LOCALAPPDATA') ?? join(home, 'AppData', 'Local');
    return {
      config: join(roaming, 'paydesk'),
      state: join(local, 'paydesk', 'State'),
      cache: join(local, 'paydesk', 'Cache'),
      witness: join(local, 'paydesk', 'Witness'),
    };
  }
  if (platform === 'darwin') {
    const library = join(home, 'Library');
    return {
      config: join(library, 'Application Support', 'paydesk'),
      state: join(library, 'Application Support', 'paydesk', 'State'),
      cache: join(library, 'Caches', 'paydesk'),
      witness: join(library, 'Application Support', 'paydesk', 'Witness'),
    };
  }
  return {
    config: join(home, '.config', 'paydesk'),
    state: join(home, '.local', 'state', 'paydesk'),
    cache: join(home, '.cache', 'paydesk'),
    witness: join(home, '.local', 'share', 'paydesk', 'witness'),
  };
}
