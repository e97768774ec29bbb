// A way to a port of this machine on which bytes take so long each way: `node relay.js PORT MS` prints its address.
import { connect, createServer } from 'node:net';

const [port, ms] = process.argv.slice(2).map(Number);

const late = (from, to) => {
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), ms));
  from.on('close', () => setTimeout(() => to.end(), ms)).on('error', () => {});
};

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  for (const socket of [near, far]) socket.setNoDelay(true);
  late(near, far);
  late(far, near);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
