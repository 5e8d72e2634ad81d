import type { Differences } from '../../text/exchange/differences.js';
import type { Script } from '../../text/shell/curl.js';
import type { NoScript } from '../../text/shell/curl.js';
import { Button, copyText, prettyJson, Section, Text } from './parts.js';
import { model, words } from './screen.js';

/** Headers and body of a request or a response, as the control API shows them. */
export interface Message {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
  readonly body_base64?: string | undefined;
  readonly body_bytes?: number | undefined;
  readonly truncated: boolean;
}

/** One message: its first line, its headers, its body. */
export function MessageView({
  title,
  line,
  message,
}: {
  title: string;
  line?: string;
  message: Message | null | undefined;
}) {
  const { detail } = words;
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
        <Text name={`${title}: ${detail.body}`} text={body}>
          {prettyJson(body)}
        </Text>
      )}
      {message.truncated ? (
        <p class="problem">{detail.truncated(message.body_bytes ?? body.length)}</p>
      ) : null}
    </section>
  );
}

/** What differs between two requests and their responses. */
export function DifferencesView({
  title,
  found: { differences, always },
}: {
  title: string;
  found: Differences;
}) {
  const { detail } = words;
  return (
    <Section title={title}>
      {differences.length === 0 ? (
        <p class="empty">{detail.same}</p>
      ) : (
        <table class="list differences">
          <tbody>
            {differences.map(({ of, part, name, from, to }, index) => (
              <tr key={index}>
                <th scope="row">{`${detail.of[of]} ${detail.parts[part]} ${name}`.trimEnd()}</th>
                <td class="from">{from ?? detail.nothing}</td>
                <td class="to">{to ?? detail.nothing}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {always.length === 0 ? null : <p class="empty">{detail.always(always.join(', '))}</p>}
    </Section>
  );
}

/**
 * Copies what a terminal prints with `--curl`, or says why there is nothing; undefined while it is not
 * known.
 */
export function CurlButton({ script }: { script: Script | NoScript | undefined }) {
  const copy = async () => {
    if (script === undefined) return;
    if ('problem' in script) {
      model.say({ text: script.problem, hint: script.hint, isError: true });
      return;
    }
    await copyText(script.script);
    const { leftOut } = script;
    const hint = leftOut.length === 0 ? undefined : words.detail.leftOut(leftOut.join(', '));
    model.say({ text: words.copied, hint, isError: false });
  };
  return (
    <Button
      label={words.detail.curl}
      shortcut="c"
      disabled={script === undefined}
      onClick={() => void copy()}
    />
  );
}
