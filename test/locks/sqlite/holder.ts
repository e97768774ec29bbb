// A process that takes a lock and prints what came of it: `folder name waitMs`. It holds until it is killed or its input ends.
import { systemClock } from '../../../bin/process-io.ts';
import { createSqliteLocks } from '../../../src/locks/sqlite/sqlite-locks.ts';

const [folder = '', name = '', waitMs = '0'] = process.argv.slice(2);
const locks = createSqliteLocks({
  folder,
  clock: systemClock,
  owner: { operator: 'op7', command: 'orders refund' },
  rules: { uid: process.getuid?.(), notice: () => undefined, movedBy: 'XDG_STATE_HOME' },
  node: process.execPath,
});
const lock = await locks.take(name, { waitMs: Number(waitMs) });
process.stdout.write(`${JSON.stringify(lock.held ? { held: true } : lock)}\n`);
if (lock.held) {
  process.stdin.resume();
  process.stdin.on('end', () => {
    void lock.release();
  });
}
