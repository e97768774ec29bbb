// A process that works on the profiles of a home: `home add NAME`, `home set NAME` (on and on), `home open`.
import { canary, createTestUser } from './test-user.ts';

const [home = '', what = '', name = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

if (what === 'add') {
  await createTestUser(home)
    .run()
    .add(
      { name, baseUrl: 'https://api.example.com', mode: 'sandbox' },
      { text: canary + name, where: 'a test', place: 'file' },
    );
  say('added');
} else if (what === 'set') {
  for (let count = 1; ; count += 1) {
    await createTestUser(home).run().set(name, 'index.keep', `${count}d`);
    say(`set ${count}`);
  }
} else if (what === 'open') {
  const env = {
    PAYDESK_BASE_URL: 'http://127.0.0.1:1',
    PAYDESK_MODE: 'sandbox',
    PAYDESK_API_KEY: canary,
  };
  const opened = await createTestUser(home).run({ env }).open();
  say(`${opened.profile.name} ${(await opened.key()) === canary}`);
  await createTestUser(home)
    .run()
    .use('demo')
    .then(
      () => say('written'),
      (error: unknown) => say(error instanceof Error ? `not written: ${error.message}` : 'odd'),
    );
}
