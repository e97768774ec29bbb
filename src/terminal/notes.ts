/** Writes stderr: notes, previews, a line of progress, and the error of a run. Only prompts write there too. */

import type { CliError } from '../errors.ts';
import type { ClockWithTimers } from '../io.ts';
import { loadPaint } from './color.ts';
import { createTimes } from './local-time.ts';
import type { OutputOptions } from './output.ts';
import { escapeJsonForScreen } from './sanitise.ts';
import {
  createStreamWriter,
  type StreamFacts,
  screenClean,
  widthOfTerminal,
  widthToDraw,
} from './streams.ts';
import type { Block, Notes, ProgressLine } from './terminal.ts';
import type { ScreenStyle } from './text-lines.ts';

export interface NotesOptions
  extends Pick<
    OutputOptions,
    'format' | 'color' | 'accessible' | 'locale' | 'secrets' | 'redaction' | 'onLost'
  > {
  readonly stderr: StreamFacts;
  readonly quiet: boolean;
  readonly clock: ClockWithTimers;
  /** With --debug, nothing on stderr holds personal data, even if nobody asked for redaction: people pass that text on. */
  readonly debug: boolean;
}

/** Notes, with what only cli/ and the prompts call. */
export interface NotesControl extends Notes {
  /** All notes and warnings so far, as plain lines, for what a file says about itself. */
  lines(): Promise<readonly string[]>;
  /** Writes the notes that are held back. Call it before a question, which may be about them. */
  flush(): Promise<void>;
  /** Removes a progress line from the screen. */
  clearProgress(): void;
  /** Writes text as it is, at once. For line prompts. */
  write(text: string): void;
  /** Call it when the run succeeded: writes the notes that are held back. With --quiet only the warnings. */
  succeed(): Promise<void>;
  /** Call it when the run failed: writes its error, as text or as one JSON object. */
  fail(error: CliError, debug: boolean): Promise<void>;
}

interface Entry {
  readonly kind: 'note' | 'aside' | 'warn' | 'show';
  readonly blocks: readonly Block[];
}

type Progress = ReturnType<typeof createProgress>;

interface Screen {
  readonly lines: (blocks: readonly Block[]) => readonly string[];
  /** The lines without colour and wrapping. */
  readonly plainLines: (blocks: readonly Block[]) => readonly string[];
  readonly style: ScreenStyle;
  readonly progress: Progress;
}

/** The notes of one run. The code that draws them is loaded with the first note. */
export function createNotes(given: NotesOptions): NotesControl {
  const { stderr, format, quiet, redaction } = given;
  const secrets = redaction.over(given.secrets, { always: given.debug });
  const options = { ...given, secrets };
  const asJson = format === 'json' || format === 'ndjson';
  const writer = createStreamWriter({
    stream: stderr.stream,
    name: 'stderr',
    secrets,
    onLost: options.onLost,
  });
  let screen: Screen | undefined;
  let loading: Promise<Screen> | undefined;
  // All notes so far, because with json and ndjson an error holds them.
  const said: Entry[] = [];
  let held: Entry[] = [];
  let queue: Entry[] = [];

  const load = async (): Promise<Screen> => {
    loading ??= loadScreen(options, (text) => writer.writeNow(text));
    screen = await loading;
    return screen;
  };
  const print = ({ lines, progress }: Screen): void => {
    const text = queue
      .flatMap(({ blocks }) => lines(blocks))
      .map((line) => `${line}\n`)
      .join('');
    queue = [];
    if (text === '') return;
    progress.clear();
    writer.writeNow(text);
  };
  const settle = async (): Promise<void> => {
    if (queue.length > 0) print(await load());
  };
  const say = (entry: Entry): void => {
    said.push(entry);
    // A preview belongs to a question. So --quiet holds it back until a question is asked.
    if (asJson || (quiet && entry.kind === 'show')) {
      held.push(entry);
      return;
    }
    if (quiet && (entry.kind === 'note' || entry.kind === 'aside')) return;
    queue.push(entry);
    if (screen === undefined) void settle();
    else print(screen);
  };
  const release = (entries: readonly Entry[]): Promise<void> => {
    queue.push(...entries);
    held = [];
    return settle();
  };

  let isAlone = false;
  const startProgress = (start: (progress: Progress) => () => void): (() => void) => {
    if (asJson || quiet || isAlone) return () => undefined;
    let stop: (() => void) | undefined;
    let over = false;
    void load().then(({ progress }) => {
      if (!over) stop = start(progress);
    });
    return () => {
      over = true;
      stop?.();
    };
  };

  return {
    note: (line, hang = 0) => say({ kind: 'note', blocks: [{ line, hang }] }),
    aside: (line) => say({ kind: 'aside', blocks: [{ line }] }),
    warn: (line) => say({ kind: 'warn', blocks: [{ line }] }),
    show: (blocks) => say({ kind: 'show', blocks }),
    progress: (text) => startProgress((progress) => progress.start(text)),
    progressAlone(text) {
      const end = startProgress((progress) => progress.start(text));
      isAlone = true;
      return () => {
        isAlone = false;
        end();
      };
    },
    waiting: (text, atOnce) => startProgress((progress) => progress.wait(text, atOnce)),
    flush() {
      screen?.progress.clear();
      return release(held);
    },
    async lines() {
      const { plainLines } = await load();
      return said.flatMap(({ kind, blocks }) =>
        kind === 'show' || kind === 'aside' ? [] : plainLines(blocks),
      );
    },
    clearProgress: () => screen?.progress.clear(),
    write: (text) => writer.writeNow(text),
    async succeed() {
      await release(quiet ? held.filter(({ kind }) => kind === 'warn') : held);
    },
    async fail(unmasked, debug) {
      const error = redaction.error(unmasked);
      const { errorJson, renderError } = await import('./error-message.ts');
      const { plainLines, style } = await load();
      if (asJson) {
        // The field is called `notes`, so the lines need not begin with `note:`.
        const notes = said
          .flatMap((entry) => plainLines(sentencesOf(entry)))
          .map((line) => line.replace(/^note: /, ''));
        const json = secrets.cleanJson(errorJson(error, notes, debug));
        writer.writeNow(stderr.isTTY ? escapeJsonForScreen(json) : json);
        return;
      }
      await settle();
      screen?.progress.clear();
      writer.writeNow(renderError(error, style, debug));
    },
  };
}

// A preview is a screen for people. Its sentences are its warnings.
function sentencesOf({ kind, blocks }: Entry): readonly Block[] {
  return kind === 'show' ? blocks.filter(isWarning) : blocks;
}

function isWarning(block: Block): boolean {
  if (block === 'blank' || !('line' in block)) return false;
  const { line } = block;
  return typeof line === 'object' && 'style' in line && line.style === 'warn';
}

async function loadScreen(
  { stderr, color, accessible, locale, clock, secrets }: NotesOptions,
  write: (text: string) => void,
): Promise<Screen> {
  const [{ blockLines }, { cut }, paint] = await Promise.all([
    import('./blocks.ts'),
    import('./text-lines.ts'),
    loadPaint(color),
  ]);
  const clean = screenClean(secrets);
  const style = (): ScreenStyle => ({
    width: widthToDraw(stderr),
    paint,
    clean,
    times: createTimes(locale().zone, () => clock.now()),
  });
  // One cell less than the width of the terminal, so that the line never wraps. The end is never cut.
  const room = (): number => (widthOfTerminal(stderr) ?? 80) - 1;
  const fitting = (text: string, end = ''): string => cut(clean(text), room() - end.length) + end;
  return {
    lines: (blocks) => blockLines(blocks, style()),
    plainLines: (blocks) => blockLines(blocks, { ...style(), width: undefined, paint: (text) => text }),
    style: style(),
    progress: createProgress(write, { room, fitting }, accessible || !stderr.isTTY, clock),
  };
}

const redrawEveryMs = 120;
const lineEveryMs = 10_000;
// A shorter wait is not worth a line in the log of a script.
const worthALineMs = 500;

/** How a line of progress is made to fit. */
interface Fit {
  /** How many characters fit. */
  readonly room: () => number;
  /** Cuts a text, but never its end. */
  readonly fitting: (text: string, end?: string) => string;
}

// The line that says how far a long run has got. If nothing may be redrawn (`plain`), a whole line is written now and then.
function createProgress(
  write: (text: string) => void,
  { room, fitting }: Fit,
  plain: boolean,
  clock: ClockWithTimers,
) {
  let drawn = false;
  let current: (() => string) | undefined;
  let last = '';

  const clear = (): void => {
    if (drawn) write('\r\x1b[K');
    drawn = false;
  };
  const draw = (): void => {
    if (current === undefined) return;
    const text = current();
    if (text === '') {
      clear();
      return;
    }
    if (plain && text !== last) write(`${text}\n`);
    if (!plain) write(`\r${text}\x1b[K`);
    drawn = !plain;
    last = text;
  };
  const begin = (text: () => string): (() => void) => {
    current = text;
    // The first line is drawn after a pause, because a short run needs none.
    const stop = clock.every(plain ? lineEveryMs : redrawEveryMs, draw);
    return () => {
      stop();
      if (current !== text) return;
      current = undefined;
      clear();
    };
  };
  return {
    /** Removes the line from the screen until it is drawn again, so that something else can be written. */
    clear,
    /** Starts the line. The newest one is shown. The returned function ends it. */
    start: (text: (line: ProgressLine) => string) =>
      begin(() => fitting(text({ room: room(), redrawn: !plain }))),
    /** Says what the run waits for: on a terminal followed by the seconds, elsewhere in one line. */
    wait(text: () => string, atOnce: boolean): () => void {
      const line = () => write(`${fitting(text())}\n`);
      if (plain && atOnce) line();
      if (plain) return atOnce ? () => undefined : clock.after(worthALineMs, line);
      const from = clock.monotonic();
      const stop = begin(() => {
        const seconds = Math.floor((clock.monotonic() - from) / 1000);
        return fitting(text(), seconds < 1 ? '' : `, ${seconds} s`);
      });
      if (atOnce) draw();
      return stop;
    },
  };
}
