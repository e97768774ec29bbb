/** Days, weeks and months of the calendar, as texts that sort by time: `2026-11-20`, `2026-W47`, `2026-11`. Pure. */

const dayMs = 86_400_000;

/** The units of time into which sums can be split. */
export const timeUnits = ['day', 'week', 'month'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** The unit of a day: the day itself, its ISO week, or its month. */
export function unitOf(day: string, unit: TimeUnit): string {
  if (unit === 'day') return day;
  return unit === 'month' ? day.slice(0, -3) : weekOf(day);
}

/** The ISO week of a day, `2026-W47`. A week belongs to the year of its Thursday. */
export function weekOf(day: string): string {
  const thursday = midnight(day) + (3 - weekdayOf(day)) * dayMs;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}

/** The Monday of an ISO week, as midnight in UTC. Undefined if the year has no such week. */
export function mondayOf(year: number, week: number): number | undefined {
  // The fourth of January is always in week 1.
  const fourth = new Date(Date.UTC(year, 0, 4)).toISOString().slice(0, 10);
  const monday = midnight(fourth) - weekdayOf(fourth) * dayMs + (week - 1) * 7 * dayMs;
  const day = new Date(monday).toISOString().slice(0, 10);
  return weekOf(day) === `${year}-W${String(week).padStart(2, '0')}` ? monday : undefined;
}

/** The place of a day in its week: 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(midnight(day)).getUTCDay() + 6) % 7;
}

/** Every day from the first to the last, both included. None if the last comes before the first. */
export function daysFrom(first: string, last: string): readonly string[] {
  const count = Math.max(0, Math.round((midnight(last) - midnight(first)) / dayMs) + 1);
  return Array.from({ length: count }, (_, index) =>
    new Date(midnight(first) + index * dayMs).toISOString().slice(0, 10),
  );
}

/** Every unit from that of the first day to that of the last, each once. */
export function unitsFrom(first: string, last: string, unit: TimeUnit): readonly string[] {
  return [...new Set(daysFrom(first, last).map((day) => unitOf(day, unit)))];
}

function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
