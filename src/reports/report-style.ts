/** How the HTML report looks: light and dark, on paper, on a narrow screen, and without colours. */

// A table as a list: a line for each cell, with its heading before it.
const asList = (table: string) => `\
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ${table}, ${table} tbody, ${table} tr { display: block; }
  ${table} tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  ${table} tbody th, ${table} td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; padding: .1rem 0; border: 0; text-align: left; overflow-wrap: anywhere; }
  ${table} tbody th::before, ${table} td::before { content: attr(data-label); color: var(--faint); }
`;

/** The style sheet. It names no other file and no font that would have to be loaded. */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #555d66; --paper: #ffffff; --line: #c9ced4; --bar: #1f5fa8; --track: #e8ebee; --alarm: #a11212; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --faint: #a9b1ba; --paper: #14171a; --line: #3c434b; --bar: #7ab3ef; --track: #262b31; --alarm: #ff9a8f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: var(--ink); background: var(--paper); font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 .25rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .5rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
.note, .most, .ends, footer { color: var(--faint); font-size: .9rem; }
.alarm { color: var(--alarm); font-weight: 700; border: 2px solid var(--alarm); padding: .5rem .75rem; }
.pair { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; }
figure { flex: 1 1 20rem; max-width: 24rem; margin: .5rem 0 0; }
svg { display: block; width: 100%; height: auto; }
svg.columns { height: 8rem; border-bottom: 1px solid var(--faint); }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.bar { fill: var(--bar); }
.track { fill: var(--track); }
.ends { display: flex; justify-content: space-between; gap: 1rem; }
.wide { flex: 1 1 auto; min-width: 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--faint); font-weight: 600; }
thead th, .figure { overflow-wrap: break-word; }
tbody th { font-weight: 400; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; font-size: .8rem; }
@media (max-width: 46rem) {
  body { padding: .75rem; }
  table { font-size: .85rem; }
  th, td { padding-right: .5rem; }
${asList('.some')}}
@media (max-width: 62rem) {
${asList('.many')}}
@media (forced-colors: active) {
  .bar { fill: CanvasText; }
  .track { fill: Canvas; stroke: GrayText; }
  svg text { fill: CanvasText; }
}
@media print {
  :root { color-scheme: light; --ink: #000000; --faint: #333333; --paper: #ffffff; --line: #999999; --bar: #333333; --track: #eeeeee; --alarm: #000000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .wide { overflow: visible; }
  .bar, .track { print-color-adjust: exact; }
  details { display: none; }
}
`;
