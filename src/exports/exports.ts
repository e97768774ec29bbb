/** Exports into files as the rest of paydesk sees them: a file that is written page by page, and checked later. */

import type { WalkedBefore } from '../api/api.ts';
import type { Column, JsonObject } from '../api/spec.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { PrintedRecord } from '../terminal/terminal.ts';
/** Formats of an export, by the names their files end in. */
export const exportFormats = ['ndjson', 'json', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A row of an export, with what its manifest counts. */
export interface ExportRow {
  readonly record: PrintedRecord;
  readonly id: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** `2026-11-20`, in the zone of the export; asked for where it is counted. */
  readonly day: () => string | undefined;
  /** The money of it as the service sent it; null where rows of this kind have none. */
  readonly amount: unknown;
}

/** A file to be written, and all that decides what it holds. */
export interface ExportRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** One gzip member a page. */
  readonly gzip: boolean;
  readonly columns: readonly Column[];
  /** Replace a finished file, or an unfinished one, of that name. */
  readonly force: boolean;
  /** Go on with an unfinished one. */
  readonly resume: boolean;
  /** What was typed to say what it holds: must be the same when it is resumed. */
  readonly asked: readonly string[];
  /** What it holds, for the manifest; that of the first run counts. Times are Unix seconds. */
  readonly query: JsonObject;
  readonly profile: Pick<Profile, 'name' | 'origin' | 'vendor' | 'mode'>;
  readonly keyFingerprint: string | undefined;
}

/** How far a walk came with a page. */
export interface PageWalked extends WalkedBefore {
  readonly read: number;
  readonly repeated: number;
  /** Records that are not as the service documents them. */
  readonly odd: number;
  /** Records left out since they do not show what the query asks about. */
  readonly left: number;
  /** What whoever goes on after this page has to know of those before it. */
  readonly state: JsonObject;
}

/** An export into a file. Its name is that of a finished file only once it is complete. */
export interface ExportFile {
  /** The query as the first run pinned it. */
  readonly query: JsonObject;
  /** Where an unfinished export goes on: after this record; undefined: at the beginning. */
  readonly after: string | undefined;
  /** The pages that it has, oldest first. */
  readonly before: readonly WalkedBefore[];
  /** The state after the last of them; undefined: at the beginning. */
  readonly state: JsonObject | undefined;
  /** Its name is somebody's by now. */
  readonly taken: boolean;
  /** So far. */
  readonly progress: { readonly read: number; readonly rows: number };
  /** Of the unfinished file. */
  readonly partial: string;
  /** What a resume found other than it should be. */
  readonly notes: readonly string[];
  /** Writes the rows of a page; when this resolves, a killed run goes on after it. Rejects with CliError 'incomplete'. */
  page(rows: readonly ExportRow[], walked: PageWalked): Promise<void>;
  /** Gives the file its name, its manifest beside it; both are on the disk when this resolves. */
  complete(): Promise<{ readonly manifest: string; readonly rows: number; readonly bytes: number }>;
  /** Leaves it to be resumed, or takes it away where nothing was written; says why in the manifest of the unfinished file. */
  leave(why: string): Promise<void>;
}

/** What a look at a file and its manifest came to. Times are Unix seconds. */
export interface ExportCheck {
  readonly file: string;
  readonly manifest: string;
  /** Why it is refused; undefined: it is what its manifest says. */
  readonly problem: { readonly kind: 'refused' | 'incomplete'; readonly words: string } | undefined;
  readonly rows: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** Exports into files. */
export interface Exports {
  /**
   * Opens a file for a new export or one to be resumed. Throws CliError 'refused' for a name that is taken, for an
   * unfinished export of something else, and while another run writes it.
   */
  open(request: ExportRequest): Promise<ExportFile>;
  /** Compares a file with its manifest. Throws CliError 'usage' where one of them cannot be read. */
  verify(path: string, maxAgeMs: number | undefined): Promise<ExportCheck>;
}
