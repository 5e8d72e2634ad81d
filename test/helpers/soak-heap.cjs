// Loaded before the built command: answers any message with the heap in use after a collection, in bytes.
process.on('message', () => {
  globalThis.gc();
  process.send(process.memoryUsage().heapUsed);
});
// The command ends as it would without this.
process.channel.unref();
