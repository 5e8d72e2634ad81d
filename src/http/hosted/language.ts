/** The languages of the hosted pages, as their `lang` attribute names them. */
export type Language = 'pt-BR' | 'en';

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
