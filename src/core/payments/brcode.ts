/** The data of a dynamic BR Code: the address of the charge, and who is paid. */
export interface BrCode {
  /** Address of the charge without its scheme, at most 77 characters. */
  url: string;
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
const CRC_CHARACTERS = 4;
/** Text after the CRC is quoted no further. */
const QUOTED_CHARACTERS = 25;

/**
 * Writes the copy-and-paste payload of a charge, `qr_code` of §2.1: a dynamic BR Code, all ASCII, without the amount.
 * Names lose their accents and any other character outside ASCII, and are cut to their lengths.
 * Throws a RangeError when the url is not scheme-less ASCII of at most 77 characters or nothing is left of a name.
 */
export function brCode({ url, ...merchant }: BrCode): string {
  return brCodeWriter(merchant)(url);
}

/** Returns a function from urls to payloads of one merchant, whose names are read once. Both throw as `brCode` does. */
export function brCodeWriter({ merchantName, merchantCity }: Omit<BrCode, 'url'>): (url: string) => string {
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
 * Reads a payload back and accepts exactly what `brCode` writes.
 * Throws a SyntaxError that names the character, counted from zero, where the text stops being one.
 */
export function parseBrCode(text: string): BrCode {
  const reader = createReader(text);
  reader.expect(FORMAT, DYNAMIC, '26');
  const accountStart = reader.at();
  reader.length('field 26');
  reader.expect(PIX_DOMAIN, '25');
  const url = reader.value('a url without scheme', isUrl);
  const account = twoDigits(reader.at() - accountStart - 2);
  if (!text.startsWith(account, accountStart)) {
    throw failure(text, accountStart, `"${account}", the length of field 26`, 2);
  }
  reader.expect(CATEGORY, CURRENCY, COUNTRY, '59');
  const merchantName = reader.value('a merchant name', (name) => isName(name, NAME_CHARACTERS));
  reader.expect('60');
  const merchantCity = reader.value('a merchant city', (name) => isName(name, CITY_CHARACTERS));
  reader.expect(NO_REFERENCE, CRC_HEAD);
  const crc = crc16(text.slice(0, reader.at()));
  if (!text.startsWith(crc, reader.at())) {
    throw failure(text, reader.at(), `the CRC ${crc}`, CRC_CHARACTERS);
  }
  const end = reader.at() + CRC_CHARACTERS;
  if (text.length > end) throw failure(text, end, 'the end', QUOTED_CHARACTERS);
  return { url, merchantName, merchantCity };
}

/** Reads a payload from its start; every step throws at an unexpected text. */
function createReader(text: string) {
  let at = 0;
  const length = (what: string): number => {
    const digits = text.slice(at, at + 2);
    if (!/^\d\d$/.test(digits)) throw failure(text, at, `two digits, the length of ${what}`, 2);
    at += 2;
    return Number(digits);
  };
  return {
    at: () => at,
    length,
    expect: (...literals: string[]): void => {
      for (const literal of literals) {
        if (!text.startsWith(literal, at)) throw failure(text, at, `"${literal}"`, literal.length);
        at += literal.length;
      }
    },
    value: (what: string, isValid: (value: string) => boolean): string => {
      const size = length(what);
      const value = text.slice(at, at + size);
      if (value.length < size || !isValid(value)) {
        throw failure(text, at, `${size} characters of ${what}`, size);
      }
      at += size;
      return value;
    },
  };
}

function failure(text: string, at: number, expected: string, characters: number): SyntaxError {
  const found = text.slice(at, at + characters);
  const got = at < text.length ? JSON.stringify(found) : 'the end';
  return new SyntaxError(`BR Code, character ${at}: expected ${expected}, got ${got}`);
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

function isName(text: string, characters: number): boolean {
  return text !== '' && foldName(text, characters) === text;
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
