/** Bug tracker named by the released package.json, or the command that opens the published package's. */
const BUG_TRACKER = __BUGS_URL__ || '`npm bugs pix-sandbox`';

/** Sentence added wherever a bug of the sandbox is shown. */
export const BUG_HINT = `Report it with the complete output: ${BUG_TRACKER}`;
