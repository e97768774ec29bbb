// Writes every page of help to dist/help, where bin/help.ts finds it. The build runs it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandPage, groupPage, rootPage } from '../src/cli/help/help.ts';
import type { HelpPage } from '../src/cli/help/help-page.ts';
import { commands, groups } from '../src/commands/commands.ts';

const folder = join(import.meta.dirname, '../dist/help');
mkdirSync(folder, { recursive: true });

function write(words: readonly string[], page: HelpPage, all = ''): void {
  writeFileSync(join(folder, `${words.join('.')}${all}.json`), JSON.stringify(page));
}

write(['paydesk'], rootPage());
for (const noun of Object.keys(groups)) write([noun], groupPage(noun));
for (const entry of commands) {
  const command = await entry.load();
  write(entry.words, commandPage(entry, command, false));
  write(entry.words, commandPage(entry, command, true), '-all');
}
