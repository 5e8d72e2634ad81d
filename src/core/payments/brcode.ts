/** Who is paid by a BR Code. */
interface Merchant {
  /** At most 25 characters of printable ASCII. */
  merchantName: string;
  /** At most 15 characters of printable ASCII. */
  merchantCity: string;
}

const NAME_CHARACTERS = 25;
const CITY_CHARACTERS = 15;
const URL_CHARACTERS = 77;
const URL_FORM = /^[a-z\d.-]+(?::\d+)?(?:\/[!-~]*)?$/i;

const FORMAT = field('00', '01');
const DYNAMIC = field('01', '12');
const PIX_DOMAIN = field('00', 'br.gov.bcb.pix');
const CATEGORY = field('52', '0000');
const CURRENCY = field('53', '986');
const COUNTRY = field('58', 'BR');
const NO_REFERENCE = field('62', field('05', '***'));
/** The CRC covers its own tag and length. */
const CRC_HEAD = '6304';

/**
 * Returns a function from urls to the copy-and-paste payloads of one merchant, `qr_code` of §2.1: dynamic BR Codes, all
 * ASCII, without the amount. Names lose their accents and any other character outside ASCII, and are cut to their lengths.
 * Throws a RangeError when nothing is left of a name; the function throws one when the url is not scheme-less ASCII of at
 * most 77 characters.
 */
export function brCodeWriter({ merchantName, merchantCity }: Merchant): (url: string) => string {
  const name = field('59', requireName(merchantName, NAME_CHARACTERS));
  const city = field('60', requireName(merchantCity, CITY_CHARACTERS));
  const head = FORMAT + DYNAMIC;
  const tail = CATEGORY + CURRENCY + COUNTRY + name + city + NO_REFERENCE + CRC_HEAD;
  return (url) => {
    if (!isUrl(url)) {
      const rule = `Expected a url without scheme, such as "pix.example/1", of at most ${URL_CHARACTERS} characters`;
      throw new RangeError(`${rule}, got ${JSON.stringify(url)}`);
    }
    const text = head + field('26', PIX_DOMAIN + field('25', url)) + tail;
    return text + crc16(text);
  };
}

/**
 * CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) of an ASCII text, as four upper-case hex digits.
 * Uses shifts instead of the usual table, because they are as fast here.
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (let i = 0; i < text.length; i += 1) {
    let x = ((crc >> 8) ^ text.charCodeAt(i)) & 0xff;
    x ^= x >> 4;
    crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function field(tag: string, value: string): string {
  return tag + twoDigits(value.length) + value;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}

function isUrl(text: string): boolean {
  return text.length <= URL_CHARACTERS && URL_FORM.test(text);
}

function requireName(name: string, characters: number): string {
  const folded = foldName(name, characters);
  if (folded === '') {
    throw new RangeError(
      `Expected a name with at least one letter that ASCII has, got ${JSON.stringify(name)}`,
    );
  }
  return folded;
}

function foldName(name: string, characters: number): string {
  const ascii = name
    .normalize('NFD')
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[^ -~]/g, '');
  return ascii.replaceAll(/ +/g, ' ').trim().slice(0, characters).trimEnd();
}
