import { setImmediate } from 'node:timers/promises';

type Message = Readonly<Record<string, unknown>>;

/** Reads an open stream of JSON messages one by one: server-sent events, or lines. */
export class MessageReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(response: Response) {
    if (response.body === null) throw new Error('Expected a body.');
    this.#reader = response.body.getReader();
  }

  /** The next message; undefined when the stream has ended. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/^data: /, '');
        this.#text = this.#text.slice(end + 1);
        if (line.startsWith('{')) return JSON.parse(line) as Message;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next message of a type; those before it are passed over. */
  async nextOf(type: string): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (message === undefined) throw new Error(`The stream ended before a message of type ${type}.`);
      if (message.type === type) return message;
    }
  }

  async all(): Promise<Message[]> {
    const messages: Message[] = [];
    for (let message = await this.next(); message !== undefined; message = await this.next()) {
      messages.push(message);
    }
    return messages;
  }

  /** The client goes away. */
  async cancel(): Promise<void> {
    await this.#reader.cancel();
    await setImmediate();
  }
}
