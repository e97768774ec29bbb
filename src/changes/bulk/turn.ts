/** Lets everything else of the program have its turn. */

/**
 * One turn of the event loop. The journal answers at once, so a loop over thousands of its rows would let no Ctrl-C and no
 * progress through, and V8 could not end a search for garbage, which takes several turns.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
