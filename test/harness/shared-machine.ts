/** A machine whose users share a journal: its configuration, the common folder, and users who run the program. Needs root. */

import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { giveHome, ordinaryUser } from './ordinary-user.ts';
import { type Home, startProcess } from './paydesk.ts';
import type { Running } from './ran.ts';

export interface SharedMachine extends Disposable {
  /** The common folder, of root and the group. */
  readonly folder: string;
  readonly group: number;
  /** The configuration, which names the folder. */
  readonly machineFile: string;
  /** A user with this home. */
  user(home: Home, how?: { readonly umask?: string; readonly isMember?: false }): MachineUser;
}

export interface MachineUser {
  readonly uid: number;
  readonly home: Home;
  /** Starts `paydesk ARGS` as this user. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
}

const group = 61_000;

/** Makes the machine as its administrator would. */
export function newSharedMachine(): SharedMachine {
  const root = mkdtempSync(join(tmpdir(), 'paydesk-machine-'));
  chmodSync(root, 0o755);
  const program = ordinaryUser();
  const folder = join(root, 'common');
  mkdirSync(folder);
  chownSync(folder, 0, group);
  chmodSync(folder, 0o2770);
  const machineFile = join(root, 'etc', 'config.json');
  mkdirSync(dirname(machineFile), { mode: 0o755 });
  writeFileSync(machineFile, JSON.stringify({ 'journal.folder': folder }), { mode: 0o644 });
  let users = 0;
  return {
    folder,
    group,
    machineFile,
    user(home, { umask = '022', isMember = true } = {}) {
      users += 1;
      const uid = group + users;
      giveHome(home, { ...program, uid });
      const bin = join(root, `user-${uid}.mjs`);
      writeFileSync(bin, startAs({ uid, umask, isMember, machineFile, program: program.bin }));
      return {
        uid,
        home,
        start: (args, env = {}) =>
          startProcess(args, {
            home,
            env,
            user: { node: program.node, bin, [Symbol.dispose]: () => undefined },
          }),
      };
    },
    [Symbol.dispose]() {
      program[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

// Becomes the user, then starts the program as bin/paydesk.js does; only where the configuration lies is another place.
function startAs(parts: {
  readonly uid: number;
  readonly umask: string;
  readonly isMember: boolean;
  readonly machineFile: string;
  readonly program: string;
}): string {
  const { uid, umask, isMember, machineFile, program } = parts;
  const start = pathToFileURL(join(dirname(program), '../dist/start.js')).href;
  return `import { ioOf, start } from ${JSON.stringify(start)};
process.umask(0o${umask});
process.setgroups([${isMember ? group : uid}]);
process.setgid(${uid});
process.setuid(${uid});
await start(process, Object.assign(ioOf(process), { machineFile: ${JSON.stringify(machineFile)} }));
`;
}
