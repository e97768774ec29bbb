import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { notesOf } from './screens.ts';

describe('notes', () => {
  it('come in the order they were made', async () => {
    const { notes, text } = notesOf({});
    notes.note('one');
    notes.show([{ line: 'two' }, 'blank']);
    notes.warn('three');
    await notes.succeed();
    expect(text()).toBe('one\ntwo\n\nthree\n');
  });

  it('are silenced by --quiet, warnings are not', async () => {
    const { notes, text } = notesOf({ quiet: true });
    notes.note('a note');
    notes.show([{ line: 'a preview' }]);
    notes.warn('a warning');
    await notes.succeed();
    expect(text()).toBe('a warning\n');
  });

  it('show a preview before a question even with --quiet', async () => {
    const { notes, text } = notesOf({ quiet: true });
    notes.show([{ line: 'a preview' }]);
    await notes.flush();
    expect(text()).toBe('a preview\n');
  });

  it.each(['json', 'ndjson'] as const)('are kept back under %s until the run succeeded', async (format) => {
    const { notes, text } = notesOf({ format });
    notes.note('a note');
    expect(text()).toBe('');
    await notes.succeed();
    expect(text()).toBe('a note\n');
  });

  it('are part of the error when a json run failed: sentences, and of a preview its warnings alone', async () => {
    const { notes, text } = notesOf({ format: 'json' });
    const warning = { text: 'note: a warning', style: 'warn' } as const;
    notes.show([{ line: 'a preview' }, { grid: [['paid', '35000']] }, 'blank', { line: warning }]);
    await notes.flush();
    const shown = 'a preview\npaid  35000\n\nnote: a warning\n';
    expect(text()).toBe(shown);
    notes.note('a note');
    await notes.fail(new CliError('cancelled', 'No'), false);
    expect(JSON.parse(text().replace(shown, ''))).toMatchObject({ notes: ['a warning', 'a note'] });
  });

  it('wrap at spaces on a terminal and never inside an id', async () => {
    const { notes, text } = notesOf({ width: 30 });
    notes.show([{ line: 'buyer   Buyer Name  ord_2tQ7zRk9PwE5xNvAmord_2tQ7zRk9PwE5xNvAm', indent: 2 }]);
    await notes.succeed();
    expect(text()).toBe('  buyer   Buyer Name\n  ord_2tQ7zRk9PwE5xNvAmord_2tQ7zRk9PwE5xNvAm\n');
  });

  it('stand in columns, some to the right and some cut', async () => {
    const { notes, text } = notesOf({ width: 40 });
    notes.show([
      {
        grid: [
          ['charge 1', 'a very long name of a very long product', '35000'],
          ['order', 'short', '5'],
        ],
        right: [2],
        shrink: [1],
      },
    ]);
    await notes.succeed();
    expect(text()).toBe(
      'charge 1  a very long…ong product  35000\norder     short                        5\n',
    );
  });

  it('wrap the rows of a grid that has no room', async () => {
    const { notes, text } = notesOf({ width: 30 });
    notes.show([{ grid: [['charge 1', '656f1c0e9a2b4d0018c3e5a1', '35000']], right: [2] }]);
    await notes.succeed();
    expect(text()).toBe('charge 1\n  656f1c0e9a2b4d0018c3e5a1\n  35000\n');
  });

  it('cut a field of a megabyte on a terminal', async () => {
    const { notes, text } = notesOf({ width: 80 });
    notes.note(`name ${'x'.repeat(1_000_000)}`);
    await notes.succeed();
    expect(text().length).toBeLessThan(3_000);
  });

  it('draw no progress where stderr is no terminal, is quiet, or holds JSON', () => {
    for (const options of [{}, { width: 80, quiet: true }, { width: 80, format: 'json' as const }]) {
      const { notes, text } = notesOf(options);
      notes.progress(() => 'reading')();
      expect(text()).toBe('');
    }
  });

  it('take a progress line off the screen before they write', async () => {
    const { notes, text } = notesOf({ width: 20 });
    let drawn: (() => void) | undefined;
    const shown = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    const stop = notes.progress(() => {
      // The line is written right after this text was asked for; the next turn of the loop sees it.
      setImmediate(() => drawn?.());
      return 'reading a long list of orders';
    });
    const alive = setInterval(() => undefined, 50);
    await shown;
    clearInterval(alive);
    expect(text()).toBe('\rreading a long lis…\x1b[K');
    notes.note('a note');
    expect(text()).toBe('\rreading a long lis…\x1b[K\r\x1b[Ka note\n');
    stop();
    expect(text()).not.toMatch(/a note\n./);
  });
});

/** A clock that a test puts forward: timers that are due are called. */
function handClock() {
  let at = 0;
  let timers: { due: number; readonly again: number | undefined; readonly call: () => void }[] = [];
  const add = (ms: number, again: number | undefined, call: () => void) => {
    const timer = { due: at + ms, again, call };
    timers = [...timers, timer];
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  return {
    clock: {
      now: () => at,
      monotonic: () => at,
      sleep: () => Promise.resolve(),
      after: (ms: number, call: () => void) => add(ms, undefined, call),
      every: (ms: number, call: () => void) => add(ms, ms, call),
    },
    forward: async (ms: number) => {
      await Promise.resolve();
      at += ms;
      for (const timer of timers.filter(({ due }) => due <= at)) {
        timer.due = at + (timer.again ?? Number.POSITIVE_INFINITY);
        timer.call();
      }
    },
  };
}

/** Notes that have shown a preview, and their clock. */
async function previewed(options: Parameters<typeof notesOf>[0]) {
  const { clock, forward } = handClock();
  const { notes, text } = notesOf({ ...options, clock });
  notes.show([{ line: 'a preview' }]);
  await notes.flush();
  return { notes, forward, text: () => text().replace('a preview\n', '') };
}

describe('the line of progress', () => {
  it('is written every 10 seconds where nothing is redrawn, if it has changed', async () => {
    const { notes, forward, text } = await previewed({});
    let read = 0;
    const stop = notes.progress(() => `${read} read`);
    await forward(0);
    await forward(9_999);
    expect(text()).toBe('');
    read = 10;
    await forward(1);
    await forward(10_000);
    read = 20;
    await forward(10_000);
    stop();
    await forward(10_000);
    expect(text()).toBe('10 read\n20 read\n');
  });

  it.each([
    [{}, { room: 79, redrawn: false }],
    [{ width: 120 }, { room: 119, redrawn: true }],
    [
      { width: 80, accessible: true },
      { room: 79, redrawn: false },
    ],
  ])('is told how much room it has: %j', async (options, line) => {
    const { notes, forward } = await previewed(options);
    const lines: unknown[] = [];
    notes.progress((one) => {
      lines.push(one);
      return '';
    });
    await forward(0);
    await forward(10_000);
    expect(lines).toEqual([line]);
  });

  it.each([{}, { width: 80 }])(
    'of a batch is not replaced by the lines of its changes: %j',
    async (options) => {
      const { notes, forward, text } = await previewed(options);
      const stop = notes.progressAlone(() => 'the batch');
      const waited = notes.waiting(() => 'sent, waiting', true);
      const looked = notes.progress(() => 'looking for ord_1');
      await forward(0);
      await forward(10_000);
      waited();
      looked();
      expect(text()).toBe(options.width === undefined ? 'the batch\n' : '\rthe batch\x1b[K');
      stop();
      notes.waiting(() => 'sent, waiting', true);
      await forward(0);
      expect(text()).toContain('sent, waiting');
    },
  );
});

describe('the line about waiting', () => {
  const line = 'sent, waiting for the answer (up to 60 s)';

  /** The line after 0.4, 1, 12 and 61 seconds, and after the end. */
  async function lines(width: number) {
    const { notes, forward, text } = await previewed({ width });
    const stop = notes.waiting(() => line, false);
    await forward(0);
    const seen: string[] = [];
    const look = () => seen.push(text().split('\r').at(-1)?.replace('\x1b[K', '') ?? '');
    for (const ms of [400, 600, 11_000, 49_000]) {
      await forward(ms);
      look();
    }
    stop();
    look();
    return seen;
  }

  it.each([80, 120])('shows the seconds on a terminal of %i columns', async (columns) => {
    expect(await lines(columns)).toMatchInlineSnapshot(`
      [
        "sent, waiting for the answer (up to 60 s)",
        "sent, waiting for the answer (up to 60 s), 1 s",
        "sent, waiting for the answer (up to 60 s), 12 s",
        "sent, waiting for the answer (up to 60 s), 61 s",
        "",
      ]
    `);
  });

  it('keeps the seconds on a terminal that is too narrow for the words', async () => {
    expect(await lines(30)).toMatchInlineSnapshot(`
      [
        "sent, waiting for the answer…",
        "sent, waiting for the a…, 1 s",
        "sent, waiting for the …, 12 s",
        "sent, waiting for the …, 61 s",
        "",
      ]
    `);
  });

  it.each([{}, { width: 80, accessible: true }])(
    'is one line where nothing is redrawn: %j',
    async (options) => {
      const { notes, forward, text } = await previewed(options);
      notes.waiting(() => line, false);
      await forward(499);
      expect(text()).toBe('');
      await forward(1);
      await forward(60_000);
      expect(text()).toBe(`${line}\n`);
    },
  );

  it('comes at once for what is rare', async () => {
    const { notes, forward, text } = await previewed({});
    notes.waiting(() => line, true);
    await forward(0);
    expect(text()).toBe(`${line}\n`);
  });

  it('does not appear in a script that waits for less than half a second', async () => {
    const { notes, forward, text } = await previewed({});
    const stop = notes.waiting(() => line, false);
    await forward(499);
    stop();
    await forward(1000);
    expect(text()).toBe('');
  });

  it.each([{ quiet: true }, { format: 'json' as const }, { format: 'ndjson' as const }])(
    'is not there with %j',
    async (options) => {
      const { notes, forward, text } = await previewed(options);
      notes.waiting(() => line, true);
      await forward(5000);
      expect(text()).toBe('');
    },
  );
});
