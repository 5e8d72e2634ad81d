import { TEXTS_EN } from './texts-en.js';
import { TEXTS_PT } from './texts-pt.js';

/** The languages of the hosted pages, as their `lang` attribute names them. */
export type Language = 'pt-BR' | 'en';

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

/** The language that a browser prefers: Portuguese of any country if it ranks above English, otherwise English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '')
    .split(',')
    .map(readWish)
    .filter(({ weight }) => weight > 0);
  wishes.sort((a, b) => b.weight - a.weight);
  const wish = wishes.find(({ primary }) => primary === 'pt' || primary === 'en');
  return wish?.primary === 'pt' ? 'pt-BR' : 'en';
}

function readWish(text: string): { primary: string; weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { primary: range.split('-')[0] ?? '', weight: Number.isNaN(weight) ? 0 : weight };
}
