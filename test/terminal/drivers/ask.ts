// Asks one question on the terminal it runs in and prints the answer on stdout as JSON. Started by ask.test.ts.

import { systemClock } from '../../../bin/process-io.ts';
import { plainAmounts } from '../../../src/amounts.ts';
import { CliError } from '../../../src/errors.ts';
import { colorLevel } from '../../../src/terminal/color.ts';
import { createNotes } from '../../../src/terminal/notes.ts';
import { createAsk } from '../../../src/terminal/prompts/ask.ts';
import { createRedaction } from '../../../src/terminal/redaction.ts';
import { createSecrets } from '../../../src/terminal/secrets.ts';
import type { SearchedList } from '../../../src/terminal/terminal.ts';

const kind = process.argv[2];
const accessible = process.env.PAYDESK_ACCESSIBLE === '1';
const secrets = createSecrets();
const stopping = new AbortController();
for (const [signal, error] of [
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
  ['SIGHUP', 'hangup'],
] as const) {
  process.on(signal, () => stopping.abort(new CliError(error, signal)));
}

const stderr = {
  stream: process.stderr,
  isTTY: process.stderr.isTTY,
  columns: process.stderr.columns,
  rows: undefined,
};
const color = colorLevel(stderr, undefined, process.env);
// As main does once the levels are known: Node warns when something that it loads finds both.
if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
const redaction = createRedaction(() => false);
const notes = createNotes({
  stderr,
  format: 'table',
  quiet: false,
  color,
  accessible,
  locale: () => ({ zone: 'UTC', amounts: plainAmounts, referenceKeys: ['shop_order'] }),
  clock: systemClock,
  secrets,
  redaction,
  debug: false,
  onLost: (error) => stopping.abort(error),
});
const ask = createAsk({
  stdin: process.stdin,
  stderr,
  noInput: false,
  accessible,
  color,
  secrets,
  clock: systemClock,
  learnKey: (key) => secrets.add(key),
  signal: stopping.signal,
  beforeQuestion: () => notes.flush(),
  onLeft: undefined,
  write: (text) => notes.write(text),
});
const reasons = [
  { value: 'requested_by_client', label: 'the buyer asked for it', detail: 'requested_by_client' },
  { value: 'other', label: 'another reason', detail: 'other' },
  { value: 'accents', label: 'José \u202e\u001b[2J Núñez' },
];

// A list that is read as a whole from the start.
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const foundBy = (words: string) =>
  reasons.filter(({ label }) => words.split(' ').every((word) => plain(label).includes(plain(word))));
const list: SearchedList<string> = {
  titles: ['WORDS', 'VALUE'],
  right: [],
  shrink: [0],
  wordsOf: (pasted) => pasted,
  count: (words) => foundBy(words).length,
  row(words, index) {
    const reason = foundBy(words)[index];
    return (
      reason && {
        value: reason.value,
        cells: [reason.label, reason.value],
        details: [],
        answer: reason.value,
      }
    );
  },
  want: async () => undefined,
  looked: (words) => `${foundBy(words).length} found`,
  lookUp: () => undefined,
  watch: () => () => undefined,
};

const questions: Readonly<Record<string, () => Promise<unknown>>> = {
  confirm: () => ask.confirm({ message: 'Send it?', flag: '--yes' }),
  text: () =>
    ask.text({
      message: 'Amount:',
      flag: '--amount',
      check: (text) => (/^\d+$/.test(text) ? undefined : 'digits only'),
    }),
  optional: () => ask.text({ message: 'Note:', flag: '--note', optional: true }),
  'note, then yes': async () => {
    await ask.text({ message: 'Note:', flag: '--note', optional: true });
    return await ask.confirm({ message: 'Send it?', flag: '--yes' });
  },
  secret: () =>
    ask.secret({
      message: 'Key:',
      flag: '--key-stdin',
      check: (key) => (key.length > 3 ? undefined : 'too short'),
    }),
  choose: () => ask.choose({ message: 'Why?', flag: '--reason', choices: reasons }),
  search: () => ask.search({ message: 'Which?', flag: 'ID', list }),
};

const question = questions[kind ?? ''];
if (question === undefined) throw new Error(`no question ${kind}`);
// A run that is busy before it asks: what is typed meanwhile is type-ahead.
if (process.env.BUSY === '1') {
  const goOn = new Promise((resolve) => process.once('SIGUSR2', resolve));
  const alive = setInterval(() => undefined, 1000);
  process.stderr.write('busy\n');
  await goOn;
  clearInterval(alive);
}
notes.note('before the question');
try {
  process.stdout.write(`${JSON.stringify({ answer: await question() })}\n`);
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  await notes.fail(error, false);
  process.exitCode = error.exitCode;
}
