/** Blocks → lines of a screen. */

import { gridLines } from './grid.ts';
import { piecesOf, type ScreenStyle } from './pieces.ts';
import type { Block, Cell } from './terminal.ts';
import { wrap } from './wrap.ts';

/** The lines of some blocks, without line ends. */
export function blockLines(blocks: readonly Block[], style: ScreenStyle): readonly string[] {
  return blocks.flatMap((block) => {
    if (block === 'blank') return [''];
    if ('line' in block) return wrap(piecesOf(block.line, style), block.indent ?? 0, style, block.hang);
    return gridLines(block, style);
  });
}

/** The lines of one text whose continuations are indented: `certain: …`. */
export function hangingLines(cell: Cell, hang: number, style: ScreenStyle): readonly string[] {
  return wrap(piecesOf(cell, style), 0, style, hang);
}
