/** Before all tests: fills the compile cache that they share, once, with the code of commands that use much of it. */

import { startDesk } from './desk.ts';
import { newHome, paydeskProcess } from './paydesk.ts';

const refund = ['orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '2', '--yes'];

export default async function warmUp(): Promise<void> {
  using home = newHome();
  // Over the network first: the code that a chunk is kept with is what its first run used.
  await using desk = await startDesk();
  await paydeskProcess(refund, { home, env: desk.env });
  const { code, stderr } = await paydeskProcess(['-p', 'demo', ...refund], { home });
  if (code !== 0) throw new Error(`the built program does not refund on the demo: ${stderr}`);
}
