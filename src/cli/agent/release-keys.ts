/** Where the keys are whose releases count: in the file that the policy of the machine names, else in one of this user's own. */

import { type FileRules, readOwnFile, writeOwnFile } from '../../profiles/profiles.ts';
import type { EnrolledFile } from '../../release/release.ts';
import { readMachineFile } from '../machine/machine-file.ts';
import type { Policy } from '../machine/policy.ts';

/** `own`: the file of this user. */
export function releaseKeysOf({ releaseKeys: named }: Policy, own: string, rules: FileRules): EnrolledFile {
  if (named === undefined)
    return {
      file: own,
      weakness: 'the policy of this machine names no file of enrolled keys',
      read: () => readOwnFile(own, rules),
      write: (text) => writeOwnFile(own, text, rules),
    };
  return {
    file: named,
    weakness: rules.uid === 0 ? 'paydesk runs as root' : undefined,
    read: () => readMachineFile({ path: named, name: 'the file of enrolled keys', uid: rules.uid }),
    write: undefined,
  };
}
