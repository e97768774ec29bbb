/** Exports as the rest of paydesk sees them: an export into a file, and the check of a finished one. */

import type { WalkedBefore } from '../api/api.ts';
import type { Column } from '../api/resources.ts';
import type { JsonObject } from '../api/spec.ts';
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
  /** `2026-11-20`, in the zone of the export. A function, since it is only needed where rows are counted. */
  readonly day: () => string | undefined;
  /** Its money as the service sent it; null for rows that have no money. */
  readonly amount: unknown;
}

/** A file to be written, and all that decides what it holds. */
export interface ExportRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** One gzip member for each page. */
  readonly gzip: boolean;
  readonly columns: readonly Column[];
  /** CSV has local times beside the times in UTC, in the zone of the query. */
  readonly localTimes: boolean;
  /** The fields of a row that paydesk makes; undefined: each row is the service's own record. */
  readonly ownFields: readonly string[] | undefined;
  /** Replace a finished or unfinished file of that name. */
  readonly force: boolean;
  /** Go on with an unfinished file. */
  readonly resume: boolean;
  /** What was typed that decides about its contents: it must be the same when the export is resumed. */
  readonly asked: readonly string[];
  /** What is exported, for the manifest; a resumed export has it from its first run. Times are Unix seconds. */
  readonly query: JsonObject;
  readonly profile: Pick<Profile, 'name' | 'origin' | 'vendor' | 'mode' | 'account'>;
  readonly keyFingerprint: string | undefined;
}

/** A page that was read, and how far the walk came with it. */
export interface PageWalked extends WalkedBefore {
  readonly read: number;
  readonly repeated: number;
  /** Records that are not as the service documents them. */
  readonly odd: number;
  /** Records that were left out, because they do not show what the query asks about. */
  readonly left: number;
  /** What the rows of later pages need to know of the pages so far. */
  readonly state: JsonObject;
}

/** An export into a file. Only a complete file gets the name that was asked for. */
export interface ExportFile {
  /** The query of the first run. */
  readonly query: JsonObject;
  /** The record after which an unfinished export goes on; undefined: from the beginning. */
  readonly after: string | undefined;
  /** The pages that the file has already, oldest first. */
  readonly before: readonly WalkedBefore[];
  /** The state after the last of them; undefined: at the beginning. */
  readonly state: JsonObject | undefined;
  /** There is a file of its name by now. */
  readonly taken: boolean;
  readonly progress: { readonly read: number; readonly rows: number };
  /** The path of the unfinished file. */
  readonly partial: string;
  /** What a resume found that is not as it should be. */
  readonly notes: readonly string[];
  /** Writes the rows of a page. Once this resolves, a resume goes on after it. Rejects with CliError 'incomplete'. */
  page(rows: readonly ExportRow[], walked: PageWalked): Promise<void>;
  /** Gives the file its name, and writes its manifest; both are on the disk when this resolves. */
  complete(): Promise<{ readonly manifest: string; readonly rows: number; readonly bytes: number }>;
  /** Leaves the file to be resumed, with the reason in its manifest; removes it when nothing was written. */
  leave(why: string): Promise<void>;
}

/** A file compared with its manifest. Times are Unix seconds. */
export interface ExportCheck {
  readonly file: string;
  readonly manifest: string;
  /** Why a loader must refuse the file; undefined: it is what its manifest says. */
  readonly problem: { readonly kind: 'refused' | 'incomplete'; readonly words: string } | undefined;
  readonly rows: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** Exports into files. */
export interface Exports {
  /**
   * Opens a file for a new export, or for one to be resumed. Throws CliError 'refused' when there is a file of that name,
   * for an unfinished export of something else, and while another run writes it.
   */
  open(request: ExportRequest): Promise<ExportFile>;
  /** Compares a file with its manifest. Throws CliError 'usage' when one of them cannot be read. */
  verify(path: string, maxAgeMs: number | undefined): Promise<ExportCheck>;
}
