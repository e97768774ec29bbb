/** Before all tests: fills the compile cache that they share, once, with the code of a command that uses much of it. */

import { newHome, paydesk } from './paydesk.ts';

export default async function warmUp(): Promise<void> {
  using home = newHome();
  const { code, stderr } = await paydesk(
    ['-p', 'demo', 'orders', 'refund', 'ord_2tQ7zRk9PwE5xNvAm', '--charge', '2', '--yes'],
    { home },
  );
  if (code !== 0) throw new Error(`the built program does not refund on the demo: ${stderr}`);
}
