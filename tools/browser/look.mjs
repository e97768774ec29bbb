// Opens an HTML file in Chromium in five ways and at several widths, and prints it on A4 and Letter. Prints as JSON what was found:
// requests, messages, axe, widths, colours, what of a table or a chart cannot be read, and the PDF files.
// `node tools/browser/look.mjs FILE FOLDER`: the pictures go into FOLDER.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [file, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const wide = { width: 1100, height: 900 };
const looks = {
  light: { viewport: wide, media: { colorScheme: 'light' } },
  dark: { viewport: wide, media: { colorScheme: 'dark' } },
  narrow: { viewport: { width: 360, height: 800 }, media: { colorScheme: 'light' } },
  printed: { viewport: wide, media: { media: 'print', colorScheme: 'dark' } },
  'without-colour': { viewport: wide, media: { forcedColors: 'active' } },
};

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  // Chromium by itself would ask its maker's servers.
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const found = {};
for (const [name, { viewport, media }] of Object.entries(looks)) {
  const page = await browser.newPage({ viewport });
  const requests = [];
  const messages = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.emulateMedia(media);
  await page.goto(pathToFileURL(file).href);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  found[name] = {
    requests: requests.filter((url) => url !== pathToFileURL(file).href),
    messages,
    ...(await page.evaluate(measure)),
    findings: await page.evaluate(
      `${axe};axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    ),
  };
}
const atWidths = {};
const page = await browser.newPage();
for (const width of [360, 740, 760, 800, 840, 960, 1000, 1100, 1300, 1900]) {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(pathToFileURL(file).href);
  await page.screenshot({ path: join(folder, `${width}.png`), fullPage: true });
  atWidths[width] = await page.evaluate(findCut);
}
const papers = {};
for (const format of ['A4', 'Letter']) {
  papers[format] = join(folder, `${format}.pdf`);
  await page.pdf({ path: papers[format], format });
}
await browser.close();
process.stdout.write(`${JSON.stringify({ looks: found, atWidths, papers })}\n`);

// Runs in the page.
function measure() {
  const style = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  const cut = [...document.querySelectorAll('td, th, dd, h1, p, svg')].filter(
    (one) => one.closest('thead, details') === null && one.getBoundingClientRect().right > innerWidth + 1,
  );
  return {
    title: document.title,
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    cut: cut.map((one) => one.outerHTML.slice(0, 200)),
    paper: style('body', 'backgroundColor'),
    ink: style('body', 'color'),
    bar: style('.bar', 'fill'),
    details: style('details', 'display'),
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not what a person reads.
    text: document.querySelector('main').innerText,
  };
}

// Runs in the page. `scrolling`: tables that are wider than their frame. `broken`: figures with a line break between two digits.
// `wrapped`: cells of more than one line.
function findCut() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const linesOf = (text, start, end) => {
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  };
  const textIn = ({ childNodes: [first] }) => (first?.nodeType === Node.TEXT_NODE ? first : new Text());
  const isBroken = (cell) => {
    const text = textIn(cell);
    return [...text.data.matchAll(/[^ ]+/g)].some(
      ({ index, 0: part }) => linesOf(text, index, index + part.length) > 1,
    );
  };
  const named = (cells) => cells.map((one) => one.textContent);
  return {
    scrolling: all('.wide')
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((one) => `${one.ariaLabel}: ${one.scrollWidth} of ${one.clientWidth}`),
    broken: named(all('tbody .figure').filter(isBroken)),
    wrapped: named(all('th, td').filter((cell) => linesOf(textIn(cell), 0, textIn(cell).length) > 1)),
  };
}
