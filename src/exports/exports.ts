/** Types for writing an export into a file, and for checking a finished one. */

import type { WalkedBefore } from '../api/api.ts';
import type { JsonObject } from '../api/json-values.ts';
import type { Column } from '../api/resources.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { PrintedRecord } from '../terminal/terminal.ts';
import type { ExportProblem } from './files-on-disk.ts';

export type { ExportProblem } from './files-on-disk.ts';

/** The formats of an export, also used as file endings. */
export const exportFormats = ['ndjson', 'json', 'csv', 'xlsx'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A row of an export, and the values that its manifest adds up. */
export interface ExportRow {
  readonly record: PrintedRecord;
  readonly id: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  /** For rows of refunds: how the refund ended. */
  readonly state?: string | undefined;
  /** The day in the export's time zone, `2026-11-20`. A function, because only exports into a file need it. */
  readonly day: () => string | undefined;
  /** The amount as the service sent it; 0 for rows without money, such as customers. */
  readonly amount: unknown;
  /** What the service kept from a charge. */
  readonly fee?: unknown;
}

/** Which file to write, and what goes into it. */
export interface ExportRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** Each page becomes one gzip member. */
  readonly gzip: boolean;
  readonly columns: readonly Column[];
  /** Whether CSV has local times beside those in UTC, in the zone of the query. */
  readonly localTimes: boolean;
  /** The fields of a row that paydesk makes; undefined: rows are the service's own records. */
  readonly ownFields: readonly string[] | undefined;
  /** Whether to replace a finished or unfinished file of this name. */
  readonly force: boolean;
  readonly resume: boolean;
  /** The typed words that decide the contents. A resumed export must have the same ones. */
  readonly asked: readonly string[];
  /** The query for the manifest. A resumed export keeps that of its first run. Times are Unix seconds. */
  readonly query: JsonObject;
  readonly profile: Pick<Profile, 'name' | 'origin' | 'vendor' | 'mode' | 'account'>;
  readonly keyFingerprint: string | undefined;
}

/** Counts for a page, and where the next one begins. */
export interface PageWalked extends WalkedBefore {
  readonly read: number;
  readonly repeated: number;
  /** Records that differ from the service's document. */
  readonly odd: number;
  /** The page's orders with something missing from the rows. */
  readonly problems: readonly ExportProblem[];
  /** What a resumed export must know about the earlier pages. */
  readonly state: JsonObject;
}

/** An export into a file. Only a complete file gets its final name. */
export interface ExportFile {
  readonly query: JsonObject;
  /** The id of the last record in the unfinished file; undefined for a new export. */
  readonly after: string | undefined;
  /** The pages that are already in the file, oldest first. */
  readonly before: readonly WalkedBefore[];
  /** The state after the last page in the file; undefined for a new export. */
  readonly state: JsonObject | undefined;
  /** Whether a file with the final name exists by now. */
  readonly taken: boolean;
  readonly progress: { readonly read: number; readonly rows: number };
  readonly partial: string;
  /** Problems that a resume found, in words. */
  readonly notes: readonly string[];
  /** Writes the rows of a page. After that, a resumed export continues with the next page. Rejects with CliError 'incomplete'. */
  page(rows: readonly ExportRow[], walked: PageWalked): Promise<void>;
  /**
   * Writes the manifest, and the problems file if needed, and gives the file its final name. All are on the disk when it resolves.
   * `notes`: what there is to know about the rows.
   */
  complete(notes: readonly string[]): Promise<ExportWritten>;
  /** Keeps the unfinished file for a resume, with the reason in its manifest. Removes the file if nothing was read yet. */
  leave(why: string): Promise<void>;
}

export interface ExportWritten {
  readonly manifest: string;
  /** Notes for people who open it in a spreadsheet. */
  readonly notes: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** The orders with something missing from the rows, and the file that names them; undefined if there are none. */
  readonly gaps: { readonly file: string; readonly problems: readonly ExportProblem[] } | undefined;
}

/** How a file compares with its manifest. Times are Unix seconds. */
export interface ExportCheck {
  readonly file: string;
  readonly manifest: string;
  /** Why a loader must refuse the file; undefined if it matches its manifest. */
  readonly problem:
    | {
        readonly kind: 'refused' | 'incomplete' | 'usage';
        readonly words: string;
        /** What a loader must know; if absent, it must not load the file. */
        readonly certain?: string;
        /** What to do, if it is anything other than to export again. */
        readonly now?: string | undefined;
        /** What in a file without a manifest is still as it was written, by the SHA-256 in the file itself. */
        readonly asWritten?: 'rows' | 'report' | undefined;
        /** It begins like a file that `prove` writes. */
        readonly isProof?: true;
      }
    | undefined;
  /** Whether the expected signer is known. If not, the signature was not checked. */
  readonly isSignatureKnown: boolean;
  /** The file that names what is missing from the rows, and its number of lines; undefined if nothing is missing. */
  readonly gaps: { readonly file: string; readonly problems: number } | undefined;
  readonly rows: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A finished export that is being read. */
export interface ExportReading {
  readonly query: JsonObject;
  readonly profile: string;
  readonly account: { readonly origin: string; readonly vendor: string; readonly mode: string };
  /** Unix seconds. */
  readonly startedAt: number;
  /** The columns of a CSV; null in the other formats. */
  readonly columns: readonly string[] | null;
  readonly problems: readonly ExportProblem[];
  /** The records in the order of the file. */
  readonly records: () => AsyncIterable<JsonObject>;
}

export interface Exports {
  /**
   * Opens a file for a new or resumed export. Throws CliError 'refused' if the file exists, if the unfinished file belongs to
   * another export, or while another run writes it.
   */
  open(request: ExportRequest): Promise<ExportFile>;
  /**
   * Compares a file with its manifest, which must be signed by this desk or by the owner of the public key `signedBy`. Throws
   * CliError 'usage' if one of them cannot be read.
   */
  verify(
    path: string,
    how: { readonly maxAgeMs: number | undefined; readonly signedBy: string | undefined },
  ): Promise<ExportCheck>;
  /** Compares a file with its manifest, and opens it. Throws CliError 'usage', 'refused' or 'incomplete' if they do not match. */
  read(path: string): Promise<ExportReading>;
}
