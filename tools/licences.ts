// Writes what dist is made of: THIRD-PARTY-LICENSES, and sbom.cdx.json (CycloneDX 1.6). The build runs it. It fails for a package
// without a licence text, and for a licence that asks for more than to be named.

import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

export interface Part extends Manifest {
  /** The text of its licence. */
  readonly text: string;
}

const permissive: readonly string[] = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0'];

/** A package that is in the bundle, by its folder. Throws if it may not be, or if its licence has no text. */
export function partOf(folder: string): Part {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = manifest;
  if (!permissive.includes(license)) throw new Error(`${name} ${version}: its licence is ${license}`);
  const files = readdirSync(folder);
  const file = files.find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
  const readme = files.find((one) => /^readme(\.\w+)?$/i.test(one));
  const text = file === undefined ? sectionOf(textIn(folder, readme)) : textIn(folder, file);
  if (!/permission|redistribution/i.test(text))
    throw new Error(`${name} ${version}: its licence has no text`);
  return { name, version, license, text: text.trim().replaceAll('\r\n', '\n') };
}

function textIn(folder: string, file: string | undefined): string {
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
}

// What stands under the heading "License".
function sectionOf(readme: string): string {
  return readme.split(/^#+ *licen[cs]e *$/im)[1]?.split(/^#/m)[0] ?? '';
}

/** The packages that the chunks of dist hold, as the bundler noted them, by name. */
export function bundledParts(root: string): readonly Part[] {
  const noted = globSync('dist/*.js', { cwd: root }).flatMap((chunk): readonly string[] =>
    JSON.parse(readFileSync(join(root, 'reports/packages', `${basename(chunk)}.json`), 'utf8')),
  );
  return [...new Set(noted)].map(partOf).sort((one, other) => (one.name < other.name ? -1 : 1));
}

function licences(parts: readonly Part[]): string {
  const texts = parts.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  const first = `The files in dist hold parts of these ${parts.length} packages.\n`;
  return [first, ...texts].join(`\n${'-'.repeat(80)}\n`);
}

function billOfMaterials(own: Manifest, parts: readonly Manifest[], beside: readonly Manifest[]): string {
  const component = ({ name, version, license }: Manifest, more: object) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { 'bom-ref': purl, name, version, ...more, licenses: [{ license: { id: license } }], purl };
  };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component(own, { type: 'application' }) },
    components: [
      ...parts.map((part) => component(part, { type: 'library', scope: 'required' })),
      ...beside.map((one) => component(one, { type: 'library', scope: 'optional' })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  // What npm installs beside the bundle, where it can.
  const beside = Object.keys(own.optionalDependencies).map((name) => ({
    name,
    ...locked[`node_modules/${name}`],
  }));
  const parts = bundledParts(root);
  writeFileSync(join(root, 'THIRD-PARTY-LICENSES'), licences(parts));
  writeFileSync(join(root, 'sbom.cdx.json'), billOfMaterials(own, parts, beside));
}
