/**
 * The other end of `startHelper`: answers one question at a time until the bench is gone.
 * @param {(question: any) => unknown} answerTo
 */
export function answering(answerTo) {
  process.on('disconnect', () => process.exit());
  process.on('message', async (question) => {
    try {
      process.send?.({ answer: await answerTo(question) });
    } catch (error) {
      process.send?.({ error: error instanceof Error ? error.stack : String(error) });
    }
  });
}
