// Opens a page of a checkout in Chromium, pays it as a person would, and prints as JSON what each page said, with the findings of axe.
// `node tools/browser/pay.mjs FOLDER NAME=URL:CARD…`: CARD is the last four digits that are chosen, or `look`. Pictures go into FOLDER.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [folder, ...visits] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  // Chromium by itself would ask its maker's servers.
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const found = {};
for (const colorScheme of ['light', 'dark']) {
  for (const visit of visits) {
    const [, name, url, card] = /^([^=]+)=(.*):(\w+)$/.exec(visit) ?? [];
    // The page works without scripts; with them axe can run in it.
    const context = await browser.newContext({
      viewport: { width: 360, height: 700 },
      colorScheme,
      bypassCSP: true,
    });
    const page = await context.newPage();
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    const findings = [];
    const look = async (state) => {
      await page.screenshot({ path: join(folder, `pay-${name}-${state}-${colorScheme}.png`) });
      findings.push(
        ...(await page.evaluate(
          `${axe};axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
        )),
      );
    };
    await look('before');
    if (card !== 'look' && (await page.locator('form').count()) > 0) {
      await page.getByLabel(`*${card}`).check();
      await page.getByRole('button').click();
      await look('after');
    }
    found[`${name} ${colorScheme}`] = {
      text: await page.locator('main').textContent(),
      heading: await page.locator('h1').textContent(),
      findings,
      elsewhere: requests.filter((one) => new URL(one).origin !== new URL(url).origin),
    };
    await context.close();
  }
}
await browser.close();
process.stdout.write(`${JSON.stringify(found)}\n`);
