/** The height of each row of the live list in pixels; the style sheet has it, too. */
export const ROW_HEIGHT = 30;
/** Rows drawn beyond each edge, so that scrolling finds them there. */
const BEYOND = 6;
const MOST_ROWS = 60;
/** How many rows are scrolled past before others are drawn. */
const STRIDE = 4;

/** Which rows are drawn: those that can be seen, and some more. */
export function windowOf(
  scrollTop: number,
  height: number,
  count: number,
): { readonly first: number; readonly last: number } {
  const top = Math.floor(scrollTop / ROW_HEIGHT / STRIDE) * STRIDE;
  const first = Math.max(0, Math.min(top - BEYOND, count - 1));
  const last = top + Math.ceil(height / ROW_HEIGHT) + STRIDE + BEYOND;
  return { first, last: Math.min(count, last, first + MOST_ROWS) };
}
