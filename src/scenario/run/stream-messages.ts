/** The messages of a server-sent event stream, until it ends or the signal aborts. */
export async function* messagesOf<Message>(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length)) as Message;
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
