// A process that takes a lock and says what came of it: `folder name waitMs`. It holds until it is killed or its input ends.
import { createLocks } from '../../src/locks/locks.ts';
import { realClock } from './real-clock.ts';

const [folder = '', name = '', waitMs = '0'] = process.argv.slice(2);
const locks = createLocks({
  folder,
  clock: realClock,
  owner: { operator: 'op7', command: 'orders refund' },
  uid: process.getuid?.(),
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
