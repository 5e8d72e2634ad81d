import { isDocument } from '../../core/payments/documents.js';
import { LIMITS } from '../../contract/limits.js';
import type { CustomerType } from '../../contract/customer-types.js';
import type { Form } from './form.js';
import type { Content } from './html.js';
import { Html, html } from './html.js';
import type { Problems } from './layout.js';
import { hidden, problemLine, progress, textField } from './layout.js';
import type { Texts } from './texts.js';

/** Hidden fields of every form of a session. */
export type Carried = Readonly<Record<string, string>>;

/** The person's details, as typed. */
export interface Details {
  readonly name: string;
  readonly document: string;
}

const DOCUMENT_TYPES = { individual: 'CPF', business: 'CNPJ' } as const satisfies Record<
  CustomerType,
  string
>;

export function readDetails(form: Form): Details {
  return { name: form.get('name'), document: form.get('document') };
}

/** The problems of the details, by field: a person has a CPF and a company a CNPJ. */
export function detailProblems(
  { name, document }: Details,
  customerType: CustomerType,
  texts: Texts,
): Problems {
  const { problems } = texts;
  return {
    ...(name === '' && { name: problems.name }),
    ...(name.length > LIMITS.nameLength && { name: problems.nameLength }),
    ...(isDocument(document) !== DOCUMENT_TYPES[customerType] && {
      document: problems.document[customerType],
    }),
  };
}

/** Step 1: the details. */
export function renderDetails(
  texts: Texts,
  carried: Carried,
  customerType: CustomerType,
  { name, document }: Details,
  problems: Problems,
): Content {
  const { details } = texts;
  return html`${progress(texts, 0)}
    <h1>${details.title}</h1>
    <p>${details.lead}</p>
    <form method="post" novalidate>
      ${hidden({ ...carried, step: 'details' })}
      <fieldset>
        <legend>${details.legend}</legend>
        ${textField({
          id: 'name',
          label: details.name[customerType],
          value: name,
          problem: problems['name'],
          attributes: html` required autocomplete="${customerType === 'individual' ? 'name' : 'organization'}"`,
        })}
        ${textField({
          id: 'document',
          label: details.document[customerType],
          hint: details.documentHint[customerType],
          value: document,
          problem: problems['document'],
          attributes: html` required autocomplete="off" spellcheck="false"
          inputmode="${customerType === 'individual' ? 'numeric' : 'text'}"`,
        })}
      </fieldset>
      <button>${details.next}</button>
    </form>`;
}

/** Step 2: consent; the form carries the details. */
export function renderConsent(texts: Texts, carried: Carried, details: Details, problems: Problems): Content {
  const { consent } = texts;
  const problem = problems['consent'];
  const marks = problem !== undefined && html` aria-invalid="true" aria-describedby="consent-problem"`;
  return html`${progress(texts, 1)}
    <h1>${consent.title}</h1>
    <p>${consent.lead}</p>
    <dl>
      <dt>${consent.name}</dt>
      <dd>${details.name}</dd>
      <dt>${consent.document}</dt>
      <dd>${details.document}</dd>
    </dl>
    <form method="post" novalidate>
      ${hidden({ ...carried, step: 'consent', name: details.name, document: details.document })}
      <fieldset>
        <legend>${consent.legend}</legend>
        ${problemLine('consent', problem)}
        <div class="choice">
          <input type="checkbox" id="consent" name="consent" value="yes" required${marks} />
          <label for="consent">${consent.box}</label>
        </div>
      </fieldset>
      <button>${consent.next}</button>
    </form>`;
}

/** A face beside a document, in the colours of the page. */
const PICTURE = Html.ofOurs(`<g fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round">
<path d="M16 40V24a8 8 0 0 1 8-8h16M280 16h16a8 8 0 0 1 8 8v16M304 140v16a8 8 0 0 1-8 8h-16M40 164H24a8 8 0 0 1-8-8v-16"/>
<ellipse cx="108" cy="78" rx="30" ry="37"/><path d="M96 72h.1M120 72h.1M97 93q11 9 22 0M58 156q8-34 50-34t50 34"/>
<rect x="182" y="62" width="92" height="62" rx="6"/><rect x="192" y="74" width="24" height="30" rx="3"/>
<path d="M226 80h38M226 92h38M226 104h24"/></g>`);

/** Step 3: in place of the camera. */
export function renderCamera(texts: Texts, carried: Carried): Content {
  const { camera } = texts;
  return html`${progress(texts, 2)}
    <h1>${camera.title}</h1>
    <p>${camera.lead}</p>
    <svg class="picture" viewBox="0 0 320 180" role="img" aria-label="${camera.picture}">${PICTURE}</svg>
    <p class="note">${camera.stand}</p>
    <form method="post">
      ${hidden({ ...carried, step: 'camera' })}
      <button>${camera.next}</button>
    </form>`;
}

/** Step 4: waits for the decision in the panel. */
export function renderDecision(texts: Texts): Content {
  return html`${progress(texts, 3)}
    <h1>${texts.decision.title}</h1>
    <p>${texts.decision.text}</p>`;
}
