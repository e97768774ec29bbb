/** The customers of the simulator's data. */

import type { JsonObject } from '../../api/spec.ts';
import { resources } from '../../api/spec.ts';
import { idsFrom, seededRandom } from '../random.ts';
import { nestedList } from '../records.ts';
import { customerExampleIndex } from './cases.ts';

/** How many of the newest customers buy: always as many, so that orders are the same however many there are. */
export const buyersCount = 60;

/** Which customer. */
export interface CustomerPlace {
  /** 0 is the newest. */
  readonly index: number;
  readonly livemode: boolean;
  /** Unix seconds. */
  readonly now: number;
}

/** The customers who buy, the newest first. */
export function buyersOf(place: Omit<CustomerPlace, 'index'>): readonly [JsonObject, ...JsonObject[]] {
  const others = Array.from({ length: buyersCount - 1 }, (_, index) =>
    customerAt({ ...place, index: index + 1 }),
  );
  return [customerAt({ ...place, index: 0 }), ...others];
}

/** The customer at a place of the list; the same place gives the same customer. */
export function customerAt({ index, livemode, now }: CustomerPlace): JsonObject {
  const random = seededRandom(`customer ${index}`);
  const ids = idsFrom(random);
  const ownId = ids.customer();
  const id = index === customerExampleIndex ? resources.customers.idExample : ownId;
  const createdAt = Math.max(1_400_000_000, now - 86_400 - index * 40_000 - random.integer(0, 30_000));
  const name = names[index % names.length] ?? names[0];
  const corporate = index % 11 === 4;
  return {
    id,
    object: 'customer',
    livemode,
    name: corporate ? `${name} S.A. de C.V.` : name,
    email: `buyer${index + 1}@example.com`,
    phone: `+52155${String(10_000_000 + random.integer(0, 89_999_999))}`,
    corporate,
    custom_reference: index % 3 === 0 ? '' : `C-${1000 + index}`,
    created_at: createdAt,
    payment_sources: nestedList(
      index % 4 === 0
        ? [
            {
              id: ids.paymentSource(),
              object: 'payment_source',
              type: 'spei_recurrent',
              reference: String(random.integer(100_000_000, 999_999_999)),
              created_at: createdAt,
              parent_id: id,
            },
          ]
        : [],
    ),
  };
}

// Latin with accents, Cyrillic, Greek, Arabic, Hebrew, CJK, Thai, Devanagari, emoji.
const names: readonly [string, ...string[]] = [
  'Ana Torres',
  'José Ángel Muñoz Peña',
  'María Fernanda Íñiguez',
  '王小明',
  'Søren Østergård',
  'محمد العربي',
  'Zoë O’Connor-Smith',
  'สมชาย ใจดี',
  '佐藤 花子',
  'Лариса Петрова',
  'Lupita 🌵 Flores',
  '김민준',
  'Γιώργος Παπαδόπουλος',
  'नीना शर्मा',
  'Łukasz Żółć',
  'דנה כהן',
  'François Lefèvre',
  'Nguyễn Thị Hồng Ánh',
  'İbrahim Şahin',
  'Luis Hernández de la Cruz y Fernández del Castillo',
  'Li',
  'Carlos "Charly" Ruiz, hijo',
];
