/**
 * Prepares the journal's file for SQLite: private from the start, safe from a power loss, and not on a network file system, where
 * locks may work on one machine only.
 */

import { lstatSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, systemCode } from '../../errors.ts';
import {
  checkOwnFile,
  checkOwnFolder,
  type FileRules,
  modesOf,
  syncFolder,
  variableOf,
} from '../../profiles/profiles.ts';

/** A journal's file, and the rules for it and its folders. */
export interface JournalFile {
  readonly path: string;
  readonly rules: FileRules;
  /** Our own folders that contain it, outermost first. */
  readonly folders: readonly string[];
}

/**
 * Whether there is a journal to open. `create` makes an empty file, and rejects if the file may not survive a power loss. An empty
 * file counts as no journal, because its first writer must sync the folders first. Throws CliError 'refused' if the file, SQLite's
 * own journal beside it, or a folder is not safe; checks that without opening them.
 */
export async function findFile(file: JournalFile, create: boolean): Promise<boolean> {
  if (create) await make(file);
  const size = sizeOf(file);
  if (create && size === 0) await keep(file);
  return create ? size !== undefined : (size ?? 0) > 0;
}

/** The size of a file that SQLite opens; undefined if there is none. Throws CliError 'refused' as `findFile` does. */
export function sizeOf({ path: file, rules, folders }: JournalFile): number | undefined {
  for (const folder of folders) checkOwnFolder(folder, rules);
  checkOwnFile(`${file}-journal`, rules);
  return checkOwnFile(file, rules) ? lstatSync(file).size : undefined;
}

async function make({ path: file, rules }: JournalFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: modesOf(rules).folder });
  await createEmpty(file, rules);
}

async function createEmpty(file: string, rules: FileRules): Promise<void> {
  try {
    await (await open(file, 'ax', modesOf(rules).file)).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

// SQLite syncs what it writes, but not the folders above. It also does not check that its own journal is in the folder. So paydesk
// creates that file too; SQLite only empties it after each commit.
async function keep({ path: file, rules }: JournalFile): Promise<void> {
  await createEmpty(`${file}-journal`, rules);
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) syncFolder(folder);
}

/** Throws CliError 'refused' on a network file system. If the folder does not exist, the one above decides. */
export function refuseNetwork(folder: string, rules: FileRules): void {
  const name = networkAt(folder);
  if (name === undefined) return;
  throw new CliError('refused', `the journal is on a network file system (${name}): ${folder}`, {
    certain: 'nothing was sent; locks may not work there, and two runs could send the same change',
    now: [
      `set ${variableOf(rules)} to a folder on a disk of this machine`,
      'or, if you have tested that locks work there between two machines: PAYDESK_STATE_ON_NETWORK=1',
    ],
  });
}

function networkAt(folder: string): string | undefined {
  try {
    return networkName(statfsSync(folder).type, () =>
      mountTypeOf(readFileSync('/proc/self/mountinfo', 'utf8'), realpathSync(folder)),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(folder) !== folder) return networkAt(dirname(folder));
    // Unknown, so the folder counts as local. The self-test of the locks still runs.
    return undefined;
  }
}

// The numbers that statfs gives, from linux/magic.h and the sources of the file systems.
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x19830326, 'BeeGFS'],
  [0xaad7aaea, 'PanFS'],
]);

const fuse = 0x65735546;

// Many FUSE mounts are local (an encrypted home, NTFS), so the type of the mount decides.
const networkMounts =
  /^fuse\.(sshfs|s3fs|rclone|glusterfs|ceph|ceph-fuse|davfs2?|gcsfuse|goofys|juicefs|moosefs|mfs|lizardfs|cvmfs2|smbnetfs|curlftpfs|afp.*|gvfsd-fuse|blobfuse2?|mount-s3)$/;

/** The name of a network file system; undefined for a local one. `type` is from statfs; `mount`, for FUSE, from the list of mounts. */
export function networkName(type: number, mount: () => string | undefined): string | undefined {
  // Some systems give a signed number.
  const known = networkTypes.get(type >>> 0);
  if (known !== undefined || type >>> 0 !== fuse) return known;
  const name = mount();
  return name !== undefined && networkMounts.test(name) ? name : undefined;
}

/** The type of the mount that holds a path. `mounts`: the text of `/proc/self/mountinfo`. */
export function mountTypeOf(mounts: string, path: string): string | undefined {
  let best: { readonly at: string; readonly type: string } | undefined;
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const at = (before.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    const type = after.split(' ')[0] ?? '';
    if (at === '' || type === '') continue;
    const holds = at === '/' || path === at || path.startsWith(`${at}/`);
    // Of two mounts at the same place, the later one hides the other.
    if (holds && at.length >= (best?.at.length ?? 0)) best = { at, type };
  }
  return best?.type;
}
