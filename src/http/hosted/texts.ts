import type { Language } from './language.js';
import { TEXTS_EN } from './texts-en.js';
import { TEXTS_PT } from './texts-pt.js';

/** A choice in the sandbox's panel: a status of §2.7, or a failure of the page itself. */
export const OUTCOMES = ['approved', 'rejected', 'under_review', 'cancelled', 'expired', 'error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why a page has nothing to offer. */
export type DeadEnd =
  | 'finished'
  | 'lapsed'
  | 'unknownSession'
  | 'unknownPage'
  | 'badMethod'
  | 'badForm'
  | 'badMediaType'
  | 'unavailable'
  | 'unknownKey'
  | 'unknownOrigin'
  | 'missingOrigin'
  | 'failed';

/** A heading and the text below it. */
export interface Saying {
  readonly title: string;
  readonly text: string;
}

/** All texts of the pages, in one language. */
export interface Texts {
  readonly site: string;
  readonly errorPrefix: string;
  readonly banner: { readonly tag: string; readonly text: string };
  readonly progress: string;
  readonly steps: readonly [string, string, string, string];
  readonly errorSummary: string;
  readonly details: {
    readonly title: string;
    readonly lead: string;
    readonly legend: string;
    readonly name: { readonly individual: string; readonly business: string };
    readonly document: { readonly individual: string; readonly business: string };
    readonly documentHint: { readonly individual: string; readonly business: string };
    readonly next: string;
  };
  readonly consent: {
    readonly title: string;
    readonly lead: string;
    readonly name: string;
    readonly document: string;
    readonly legend: string;
    readonly box: string;
    readonly next: string;
  };
  readonly camera: {
    readonly title: string;
    readonly lead: string;
    readonly picture: string;
    readonly stand: string;
    readonly next: string;
  };
  readonly decision: Saying;
  readonly panel: {
    readonly tag: string;
    readonly title: string;
    readonly summary: string;
    readonly lead: string;
    readonly legend: string;
    readonly outcomes: Readonly<Record<Outcome, { readonly label: string; readonly hint: string }>>;
    readonly errorCode: string;
    readonly errorCodeHint: string;
    readonly delay: string;
    readonly delayHint: string;
    readonly submit: string;
    readonly noPage: string;
    readonly report: string;
    readonly told: string;
    readonly toldTo: string;
    readonly toldNoPage: string;
    readonly status: string;
    readonly readable: string;
    readonly readableNow: string;
    readonly readableLater: string;
  };
  readonly start: {
    readonly title: string;
    readonly lead: string;
    readonly legend: string;
    readonly individual: string;
    readonly business: string;
    readonly next: string;
  };
  readonly results: Readonly<Record<Outcome, Saying>>;
  readonly errorCode: string;
  readonly tryAgain: string;
  readonly resultNote: string;
  readonly close: string;
  readonly deadEnds: Readonly<Record<DeadEnd, Saying>>;
  readonly problems: {
    readonly name: string;
    readonly nameLength: string;
    readonly document: { readonly individual: string; readonly business: string };
    readonly consent: string;
    readonly outcome: string;
    readonly errorCode: string;
    readonly delay: string;
    readonly customerType: string;
  };
}

const TEXTS: Readonly<Record<Language, Texts>> = { en: TEXTS_EN, 'pt-BR': TEXTS_PT };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
