/** What a profile is: a named way to reach one account. */

import type { AuthScheme, Mode } from '../api/spec.ts';

/** Settings of a profile, all of them; defaults stand in settings.ts. */
export interface Settings {
  readonly 'orders.get': 'paged' | 'direct';
  readonly 'customers.get': 'paged' | 'direct';
  readonly 'orders.order': 'unknown' | 'newest-first';
  readonly 'orders.status': string | undefined;
  readonly 'checkouts.path': string;
  readonly 'refund.require': readonly ('reason' | 'note')[];
  /** Currency → largest refund, the service's integer. */
  readonly 'refund.max_amount': Readonly<Record<string, number>>;
  readonly 'plan.max_total': Readonly<Record<string, number>>;
  readonly 'plan.max_count': number | undefined;
  /** Milliseconds, as every time below. */
  readonly 'plan.max_age': number;
  readonly 'refund.send_within': number;
  readonly 'refund.horizon_part': number;
  readonly 'refund.horizon_whole': number;
  readonly 'reconcile.after': readonly number[];
  /** Currency → decimals, for display only. */
  readonly 'amounts.decimals': Readonly<Record<string, number>>;
  readonly 'time.zone': string | undefined;
  readonly redact: boolean;
}

export interface Profile {
  readonly name: string;
  readonly kind: 'stored' | 'environment' | 'demo';
  readonly mode: Mode;
  /** Without a trailing slash; may hold a path prefix. */
  readonly baseUrl: string;
  /** Exact origin (`https://host:port`), or `demo:<instance>`. */
  readonly origin: string;
  readonly vendor: string;
  readonly apiVersion: string;
  readonly lang: string | undefined;
  readonly auth: AuthScheme;
  readonly settings: Settings;
  /** origin + vendor + mode: what the journal matches by. */
  readonly account: string;
}

/** The profile store, for the profile commands. */
export interface Profiles {
  readonly file: string;
}
