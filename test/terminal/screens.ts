/** Output and notes over streams that remember what was written. */

import { Writable } from 'node:stream';
import { systemClock } from '../../bin/process-io.ts';
import { plainAmounts } from '../../src/amounts.ts';
import type { WireRecord } from '../../src/api/api.ts';
import type { JsonObject } from '../../src/api/json-values.ts';
import type { CliError } from '../../src/errors.ts';
import { createNotes, type NotesOptions } from '../../src/terminal/notes.ts';
import { createOutput, type OutputOptions } from '../../src/terminal/output.ts';
import { createRedaction } from '../../src/terminal/redaction.ts';
import { createSecrets } from '../../src/terminal/secrets.ts';

// 21 Nov 2026 15:31:12 UTC
export const now = (): number => 1795275072000;

export function memory(): { readonly stream: Writable; readonly text: () => string } {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

export const locale = () => ({
  zone: 'America/Mexico_City',
  amounts: plainAmounts,
  referenceKeys: ['shop_order'],
});

/** An output; `width`: on a terminal of so many cells. */
export function outputOf(options: Partial<OutputOptions> & { readonly width?: number }) {
  const { stream, text } = memory();
  const lost: CliError[] = [];
  const out = createOutput({
    stdout: { stream, isTTY: options.width !== undefined, columns: options.width, rows: options.width && 24 },
    format: 'table',
    accessible: false,
    charts: 'plain',
    header: true,
    color: 0,
    locale,
    now,
    secrets: createSecrets(),
    redaction: createRedaction(() => false),
    onLost: (error) => lost.push(error),
    ...options,
  });
  return { out, text, lost };
}

export function notesOf(options: Partial<NotesOptions> & { readonly width?: number }) {
  const { stream, text } = memory();
  const notes = createNotes({
    stderr: { stream, isTTY: options.width !== undefined, columns: options.width, rows: options.width && 24 },
    format: 'table',
    quiet: false,
    color: 0,
    accessible: false,
    locale,
    clock: { ...systemClock, now },
    secrets: createSecrets(),
    redaction: createRedaction(() => false),
    debug: false,
    onLost: () => undefined,
    ...options,
  });
  return { notes, text };
}

/** A record as it comes off the wire. */
export function wire(value: JsonObject, bytes = JSON.stringify(value)): WireRecord {
  return { value, bytes: new TextEncoder().encode(bytes) };
}

export function lines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}
