import { asCalled } from '../../text/program-name.js';
/** Safe HTML, made only by `html`, so that nothing enters a page unescaped. */
export class Html {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Marks a text of the program, such as a style sheet, as safe; never use it for outside text. */
  static ofOurs(text: string): Html {
    return new Html(text);
  }
}

/** A value in a template: text is escaped, lists are joined, and absent values are empty. */
export type Content = Html | string | number | undefined | false | readonly Content[];

/** A template whose values are escaped, for text and for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return Html.ofOurs(text);
}

function render(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  return escape(String(content));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A text of ours with `code` in backticks, and the program as whoever started the sandbox calls it. */
export function prose(text: string, program?: string): Html {
  const parts = asCalled(text, program)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}
