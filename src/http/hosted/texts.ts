import type { Language } from './language.js';
import { TEXTS_EN } from './texts-en.js';
import { TEXTS_PT } from './texts-pt.js';

/** A choice in the sandbox's panel: a status of §2.7, or a failure of the page itself. */
export const OUTCOMES = ['approved', 'rejected', 'under_review', 'cancelled', 'expired', 'error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** All texts of the pages, in one language; each language has those of the English one. */
export type Texts = typeof TEXTS_EN;
/** Why a page has nothing to offer. */
export type DeadEnd = keyof Texts['deadEnds'];

const TEXTS: Readonly<Record<Language, Texts>> = { en: TEXTS_EN, 'pt-BR': TEXTS_PT };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
