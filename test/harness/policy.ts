/** A machine with a policy, as its administrator writes it. Needs root: paydesk trusts no other owner. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PolicyMachine extends Disposable {
  /** Where the configuration would be; the policy is beside it. */
  readonly machineFile: string;
  /** The policy. */
  readonly file: string;
  /** Replaces what it says. A text is written as it is. */
  readonly write: (says: string | Readonly<Record<string, unknown>>) => void;
}

/** Makes such a machine. */
export function newPolicy(says: string | Readonly<Record<string, unknown>>): PolicyMachine {
  const root = mkdtempSync(join(tmpdir(), 'paydesk-policy-'));
  chmodSync(root, 0o755);
  const folder = join(root, 'etc');
  mkdirSync(folder, { mode: 0o755 });
  const file = join(folder, 'policy.json');
  const write = (text: string | Readonly<Record<string, unknown>>) =>
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text), { mode: 0o644 });
  write(says);
  return {
    machineFile: join(folder, 'config.json'),
    file,
    write,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
