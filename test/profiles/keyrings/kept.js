// A keyring with the interface of the optional package, kept in a file of the home folder.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

class AsyncEntry {
  constructor(service, account, options) {
    if (options.linux.store !== 'secret-service') throw new Error('the store is not pinned');
    this.path = join(process.env.HOME, `${service} ${account}`.replaceAll('/', '_'));
  }
  async getPassword() {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : null;
  }
  async setPassword(secret) {
    writeFileSync(this.path, secret);
    writeFileSync(
      join(process.env.HOME, 'seen.json'),
      JSON.stringify({ env: process.env, argv: process.argv }),
    );
  }
  async deletePassword() {
    rmSync(this.path);
    return true;
  }
}
export default { AsyncEntry };
