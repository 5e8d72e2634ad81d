import { selectLanguage } from '../text/i18n.js';
import { CONSOLE_TEXTS } from './texts.js';

const ENGLISH_MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec';
const PORTUGUESE_MONTHS = 'jan fev mar abr mai jun jul ago set out nov dez';

/** Formats a day of sandbox time with localized month names, always in UTC: `31 Jan 2026`. */
function dayWith(months: string) {
  const names = months.split(' ');
  return (iso: string | number): string => {
    const at = new Date(iso);
    return `${at.getUTCDate()} ${names[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  };
}

/** Formats an instant of sandbox time with localized month names: `31 Jan 2026 12:00:00`. */
function instantWith(months: string) {
  const day = dayWith(months);
  return (iso: string | number): string => `${day(iso)} ${formatTimeOfDay(iso)}`;
}

export function formatTimeOfDay(iso: string | number): string {
  return new Date(iso).toISOString().slice(11, 19);
}

/** Formats a decimal amount of reais for the texts' language: `R$ 1,234.50` or `R$ 1.234,50`. */
export function formatMoney(amount: string): string {
  const money = new Intl.NumberFormat(consoleTexts.language, { style: 'currency', currency: 'BRL' });
  // A number represents every amount exactly, because amounts have at most thirteen digits.
  return money.format(Number(amount));
}

/** Formats minutes as `6m`, `2h36m` or `45h`. */
export function formatHoursAndMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h${rest}m`;
}

export const ENGLISH_TEXTS = {
  ...selectLanguage(CONSOLE_TEXTS, 0),
  day: dayWith(ENGLISH_MONTHS),
  instant: instantWith(ENGLISH_MONTHS),
};

export const PORTUGUESE_TEXTS: typeof ENGLISH_TEXTS = {
  ...selectLanguage(CONSOLE_TEXTS, 1),
  day: dayWith(PORTUGUESE_MONTHS),
  instant: instantWith(PORTUGUESE_MONTHS),
};

/** Selects the texts for a browser's preferred languages; English by default. */
export function selectTexts(languages: readonly string[]): typeof ENGLISH_TEXTS {
  const known = languages.map((language) => language.toLowerCase().split('-')[0]);
  return known.find((name) => name === 'pt' || name === 'en') === 'pt' ? PORTUGUESE_TEXTS : ENGLISH_TEXTS;
}

const { document, navigator } = globalThis as {
  readonly document?: unknown;
  readonly navigator?: { readonly languages: readonly string[] };
};
/** The texts for this browser; English outside a browser. */
export const consoleTexts = selectTexts(document === undefined ? [] : (navigator?.languages ?? []));
export type FieldName = keyof typeof consoleTexts.names;
