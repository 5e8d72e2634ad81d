import type { Difference, Differences } from '../../text/exchange/differences.js';
import type { Console } from '../model/console.js';
import type { Words } from '../words/words.js';

/** What differs in two requests and their answers. */
export function DifferencesView({
  model,
  title,
  found: { differences, always },
}: {
  model: Console;
  title: string;
  found: Differences;
}) {
  const { detail } = model.words;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {differences.length === 0 ? (
        <p class="empty">{detail.same}</p>
      ) : (
        <table class="list differences">
          <tbody>
            {differences.map((difference, index) => (
              <tr key={index}>
                <th scope="row">
                  {detail.of[difference.of]} {nameOf(model.words, difference)}
                </th>
                <td class="from">{difference.from ?? detail.nothing}</td>
                <td class="to">{difference.to ?? detail.nothing}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {always.length === 0 ? null : <p class="empty">{detail.always(always.join(', '))}</p>}
    </section>
  );
}

function nameOf({ detail }: Words, { part, name }: Difference): string {
  return `${detail.parts[part]} ${name}`.trimEnd();
}
