// Prints pages of orders on stdout, as a command would, and ends like main. Started by stream-writer.test.ts.

import { systemClock } from '../../../bin/process-io.ts';
import { plainAmounts } from '../../../src/amounts.ts';
import { orderColumns } from '../../../src/api/resources.ts';
import { CliError } from '../../../src/errors.ts';
import { createNotes } from '../../../src/terminal/notes.ts';
import { createOutput } from '../../../src/terminal/output.ts';
import { createRedaction } from '../../../src/terminal/redaction.ts';
import { createSecrets } from '../../../src/terminal/secrets.ts';
import { formats } from '../../../src/terminal/terminal.ts';

const format = formats.find((name) => name === process.argv[2]) ?? 'table';
const pages = Number(process.argv[3]);
const secrets = createSecrets();
const locale = () => ({ zone: 'UTC', amounts: plainAmounts, referenceKeys: ['shop_order'] });
let written = 0;
const redaction = createRedaction(() => false);
const notes = createNotes({
  stderr: {
    stream: process.stderr,
    isTTY: process.stderr.isTTY,
    columns: process.stderr.columns,
    rows: undefined,
  },
  format,
  quiet: false,
  color: 0,
  accessible: false,
  locale,
  clock: systemClock,
  secrets,
  redaction,
  debug: false,
  onLost: () => undefined,
});
const out = createOutput({
  accessible: false,
  charts: 'plain',
  stdout: {
    stream: process.stdout,
    isTTY: process.stdout.isTTY,
    columns: process.stdout.columns,
    rows: undefined,
  },
  format,
  header: true,
  color: 0,
  locale,
  now: Date.now,
  secrets,
  redaction,
  onLost: () => undefined,
});

const record = { id: 'ord_1', amount: 35000, currency: 'MXN', description: 'x'.repeat(1000) };
const bytes = new TextEncoder().encode(JSON.stringify(record));
try {
  const sink = out.list(orderColumns);
  for (; written < pages; written += 1)
    await sink.page(Array.from({ length: 50 }, () => ({ value: record, bytes })));
  await sink.end(false);
  await out.finish();
  if (process.env.FAIL === '1') throw new CliError('incomplete', 'the list is not whole');
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  await notes.fail(error, false);
  process.exitCode = error.exitCode;
}
notes.write(`pages ${written}\n`);
