/** A profile as commands get it, opened and checked, without a file. */

import type { Profile } from '../../src/profiles/profiles.ts';

/** The settings of a profile that sets none, but that nothing is read twice after a lost reply. */
export const defaultSettings: Profile['settings'] = {
  'orders.get': 'paged',
  'customers.get': 'paged',
  'orders.order': 'unknown',
  'orders.status': undefined,
  'checkouts.path': '/checkouts',
  'checkouts.expiry_field': 'expired_at',
  'reference.keys': ['shop_order'],
  role: 'full',
  'refund.require': [],
  'refund.note_length': 3,
  'refund.hold': 0,
  'refund.max_amount': {},
  'refund.other_currencies': 'refuse',
  'plan.max_total': {},
  'plan.max_age': 86_400_000,
  'refund.send_within': 10_000,
  'refund.horizon_part': 86_400_000,
  'refund.horizon_whole': 900_000,
  'reconcile.after': [0],
  'amounts.decimals': {},
  'amounts.grouping': 'off',
  'time.zone': undefined,
  redact: 'off',
  'agents.personal_data': 'masked',
  'index.fields': [],
  'index.keep': Number.POSITIVE_INFINITY,
};

/** A profile of the sandbox at this base URL. */
export function profileInUse(baseUrl: string, more: Partial<Profile> = {}): Profile {
  const { origin } = new URL(baseUrl);
  return {
    name: 'shop-mx',
    kind: 'stored',
    mode: 'sandbox',
    baseUrl,
    origin,
    vendor: 'service',
    apiVersion: '2.3.0',
    lang: undefined,
    auth: 'bearer',
    settings: defaultSettings,
    account: `${origin} service sandbox`,
    ...more,
  };
}
