import { CopyButton } from '../frame/copy-button.js';
import type { Console } from '../model/console.js';

/** Headers and body of a request or an answer, as the control API shows them. */
export interface Message {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
  readonly body_base64?: string | undefined;
  readonly body_bytes?: number | undefined;
  readonly truncated: boolean;
}

/** One message: its first line, its headers, its body. */
export function MessageView({
  model,
  title,
  line,
  message,
}: {
  model: Console;
  title: string;
  line?: string;
  message: Message | null | undefined;
}) {
  const { detail } = model.words;
  if (message == null) return <p class="empty">{detail.notKept}</p>;
  const body = message.body ?? message.body_base64 ?? '';
  return (
    <section class="message" aria-label={title}>
      <h3>
        {title} {line === undefined ? null : <code>{line}</code>}
      </h3>
      <details>
        <summary>
          {detail.headers} ({message.headers.length})
        </summary>
        <table>
          <tbody>
            {message.headers.map(([name, value], index) => (
              <tr key={index}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {body === '' ? (
        <p class="empty">{detail.noBody}</p>
      ) : (
        <>
          <pre tabIndex={0} aria-label={`${title}: ${detail.body}`}>
            {laidOut(body)}
          </pre>
          <CopyButton model={model} text={body} />
        </>
      )}
      {message.truncated ? (
        <p class="problem">{detail.truncated(message.body_bytes ?? body.length)}</p>
      ) : null}
    </section>
  );
}

/** JSON over several lines; anything else, and what could change in it, as it is. */
export function laidOut(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
