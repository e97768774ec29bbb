/** The door of the exports: types for writing an export into a file and for checking a finished one. */

import type { WalkedBefore } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { PrintedRecord } from '../terminal/terminal.ts';
import type { ExportProblem } from './problems-file.ts';

export type { ExportProblem } from './problems-file.ts';

/** Formats of an export. They are also the endings of the file names. */
export const exportFormats = ['ndjson', 'json', 'csv', 'xlsx'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A row of an export, and the values that its manifest adds up. */
export interface ExportRow {
  readonly record: PrintedRecord;
  readonly id: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** What became of the refund, of rows of refunds. */
  readonly state?: string | undefined;
  /** The day in the export's time zone, `2026-11-20`. It is a function because only exports into a file need it. */
  readonly day: () => string | undefined;
  /** The amount as the service sent it; 0 for rows without money, such as customers. */
  readonly amount: unknown;
  /** What the service kept of a charge. */
  readonly fee?: unknown;
}

/** Which file to write, and what goes into it. */
export interface ExportRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** Compress the file. Each page becomes one gzip member. */
  readonly gzip: boolean;
  readonly columns: readonly Column[];
  /** CSV has local times beside the times in UTC, in the zone of the query. */
  readonly localTimes: boolean;
  /** The fields of a row that paydesk makes; undefined: each row is the service's own record. */
  readonly ownFields: readonly string[] | undefined;
  /** Replace a finished or unfinished file that has this name. */
  readonly force: boolean;
  readonly resume: boolean;
  /** The typed words that decide what the file contains. A resumed export must have the same ones. */
  readonly asked: readonly string[];
  /** The query as the manifest shows it. A resumed export keeps the query of its first run. Times are Unix seconds. */
  readonly query: JsonObject;
  readonly profile: Pick<Profile, 'name' | 'origin' | 'vendor' | 'mode' | 'account'>;
  readonly keyFingerprint: string | undefined;
}

/** Counts for a page that was read, and where the next page begins. */
export interface PageWalked extends WalkedBefore {
  readonly read: number;
  readonly repeated: number;
  /** Records that differ from the service's document. */
  readonly odd: number;
  /** The orders of the page of which something is in no row. */
  readonly problems: readonly ExportProblem[];
  /** What a resumed export must know about the pages so far. */
  readonly state: JsonObject;
}

/** An export into a file. Only a complete file gets the name that was asked for. */
export interface ExportFile {
  readonly query: JsonObject;
  /** The id of the last record in the unfinished file; undefined for a new export. */
  readonly after: string | undefined;
  /** The pages that are already in the file, oldest first. */
  readonly before: readonly WalkedBefore[];
  /** The state after the last page in the file; undefined for a new export. */
  readonly state: JsonObject | undefined;
  /** True when a file with the final name exists by now. */
  readonly taken: boolean;
  readonly progress: { readonly read: number; readonly rows: number };
  readonly partial: string;
  /** Warnings about problems that a resume found. */
  readonly notes: readonly string[];
  /**
   * Writes the rows of a page. Once it resolves, a resumed export continues after this page. Rejects with CliError
   * 'incomplete'.
   */
  page(rows: readonly ExportRow[], walked: PageWalked): Promise<void>;
  /**
   * Writes the manifest, and the problems file if there are problems, and gives the file its final name. All are on the disk
   * when it resolves.
   */
  complete(): Promise<ExportWritten>;
  /** Keeps the unfinished file for a resume, with the reason in its manifest. Removes a file that holds nothing yet. */
  leave(why: string): Promise<void>;
}

/** A file of an export that has its final name. */
export interface ExportWritten {
  readonly manifest: string;
  /** What there is to say of it for a spreadsheet. */
  readonly notes: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** The orders of which something is in no row, and the file that names them; undefined if there are none. */
  readonly gaps: { readonly file: string; readonly problems: readonly ExportProblem[] } | undefined;
}

/** The result of comparing a file with its manifest. Times are Unix seconds. */
export interface ExportCheck {
  readonly file: string;
  readonly manifest: string;
  /** Why a loader must refuse the file; undefined when the file matches its manifest. */
  readonly problem:
    | {
        readonly kind: 'refused' | 'incomplete' | 'usage';
        readonly words: string;
        /** What to do, if that is not to export it again. */
        readonly now?: string;
        /** What of a file without a manifest is as it was written, by its own SHA-256. */
        readonly asWritten?: 'rows' | 'report' | undefined;
      }
    | undefined;
  /** Whether it is known whose signature the manifest must have. Without that nobody has looked at it. */
  readonly isSignatureKnown: boolean;
  /** The file that names what is in no row of the export, and how many lines it has; undefined if nothing is missing. */
  readonly gaps: { readonly file: string; readonly problems: number } | undefined;
  readonly rows: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A finished export that is read again. */
export interface ExportReading {
  /** The query as the manifest shows it. */
  readonly query: JsonObject;
  readonly profile: string;
  readonly account: { readonly origin: string; readonly vendor: string; readonly mode: string };
  /** When the export began, Unix seconds. */
  readonly startedAt: number;
  /** The columns of a CSV; null in the other formats. */
  readonly columns: readonly string[] | null;
  /** What is in no row of the file. */
  readonly problems: readonly ExportProblem[];
  /** The records of the file, in its order. */
  readonly records: () => AsyncIterable<JsonObject>;
}

export interface Exports {
  /**
   * Opens a file for a new or a resumed export. Throws CliError 'refused' when the file already exists, when the unfinished
   * file belongs to another export, and while another run writes it.
   */
  open(request: ExportRequest): Promise<ExportFile>;
  /**
   * Compares a file with its manifest. The manifest must be signed by this desk, or by the public key `signedBy`. Throws CliError
   * 'usage' when one of them cannot be read.
   */
  verify(
    path: string,
    how: { readonly maxAgeMs: number | undefined; readonly signedBy: string | undefined },
  ): Promise<ExportCheck>;
  /** Compares a file with its manifest, and opens it. Throws CliError 'usage', 'refused' or 'incomplete' if it is not whole. */
  read(path: string): Promise<ExportReading>;
}
