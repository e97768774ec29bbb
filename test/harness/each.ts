/** Many cases, a few at a time. */

/** Does it for each and gives the results in their order. */
export async function each<T, R>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<R>,
  atOnce = 3,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await act(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
