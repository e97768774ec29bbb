/** Text for HTML: escaped, one line, and without characters that hide something or turn the writing around. Pure. */

// Control characters, and every invisible one, such as those that write from right to left.
const hidden = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, for an element or for an attribute in quotes. It can neither open nor close anything. */
export function htmlText(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(hidden, '\ufffd')
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

/**
 * The same JSON with every sign escaped that HTML would read as its own. So the bytes between two tags are the JSON itself, and a
 * digest of them can be checked without reading HTML.
 */
export function htmlJson(json: string): string {
  return json.replace(/[&<>]/g, unicodeEscape).replace(hidden, unicodeEscape);
}

// A character outside of the first plane has two escapes.
function unicodeEscape(sign: string): string {
  return Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');
}
