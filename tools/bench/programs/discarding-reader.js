// Asks for every page and throws the bodies away; ids are known beforehand, since nothing is read of them.
import { once } from 'node:events';
import { askForPage } from './walk.js';

const { ORDERS } = process.env;
for (let read = 0; read < Number(ORDERS); read += 250) {
  const reply = await askForPage(read === 0 ? undefined : `ord_${String(read - 1).padStart(17, '0')}`);
  reply.resume();
  await once(reply, 'end');
}
process.exit();
