const FINDER_MODULES = 7;
/** The row and the column of alternating modules, which show a reader the size of a module. */
const TIMING = 6;
/** Correction level Low with mask 0, after their own error correction (ISO/IEC 18004, annex C). */
const FORMAT = 0b111011111000100;
const VERSION_GENERATOR = 0b1111100100101;

/** What all QR codes of a version share. */
export interface QrSymbol {
  /** Rows of modules, true for black, as they are when all bits of the codewords are 0. A bit that is 1 inverts its module. */
  readonly modules: readonly (readonly boolean[])[];
  /** Column and row of the bits of the codewords, in their order. */
  readonly free: readonly (readonly [number, number])[];
}

/**
 * The symbol of a version. Its correction level is Low, because a code on a screen or in a file gets neither dirty nor torn, and
 * larger modules are easier to scan. Its mask is 0, because every mask scans and finding the best of eight would take most of the time.
 */
export function symbolOf(version: number): QrSymbol {
  const fixed = fixedModules(version);
  const modules = fixed.map((row, y) => row.map((isBlack, x) => isBlack ?? (x + y) % 2 === 0));
  return { modules, free: freeModules(fixed) };
}

/** True for black, undefined where the codewords go. */
type FixedModules = (boolean | undefined)[][];

function fixedModules(version: number): FixedModules {
  const size = 17 + 4 * version;
  const modules = Array.from({ length: size }, () => Array.from<boolean | undefined>({ length: size }));
  const draw = (x: number, y: number, isBlack: boolean) => {
    const row = modules[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isBlack;
  };
  for (let i = 0; i < size; i += 1) {
    draw(TIMING, i, i % 2 === 0);
    draw(i, TIMING, i % 2 === 0);
  }
  for (const [x, y] of alignmentPlaces(version)) drawSquares(draw, { x, y, reach: 2 });
  const far = size - FINDER_MODULES;
  for (const x of [0, far]) drawSquares(draw, { x: x + 3, y: 3, reach: 4 });
  drawSquares(draw, { x: 3, y: far + 3, reach: 4 });
  drawFormat(draw, size);
  if (version >= 7) drawVersion(draw, size, version);
  return modules;
}

type Draw = (x: number, y: number, isBlack: boolean) => void;

/** Squares inside each other: an alignment pattern's reach two modules from its middle, a finder's three, with white around it. */
function drawSquares(draw: Draw, { x, y, reach }: { x: number; y: number; reach: 2 | 4 }): void {
  for (let down = -reach; down <= reach; down += 1) {
    for (let right = -reach; right <= reach; right += 1) {
      const ring = Math.max(Math.abs(down), Math.abs(right));
      draw(x + right, y + down, reach === 2 ? ring !== 1 : ring !== 2 && ring !== 4);
    }
  }
}

/** The middles of the alignment patterns: a grid without the corners that have finders. */
function alignmentPlaces(version: number): [number, number][] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = 10 + 4 * version;
  const step = version === 32 ? 26 : Math.ceil((last - TIMING) / (count - 1) / 2) * 2;
  const places = Array.from({ length: count }, (_, i) => (i === 0 ? TIMING : last - (count - 1 - i) * step));
  const isFinder = (x: number, y: number) =>
    (x === TIMING && y === TIMING) || (x === TIMING && y === last) || (x === last && y === TIMING);
  return places.flatMap((y) => places.filter((x) => !isFinder(x, y)).map((x): [number, number] => [x, y]));
}

/** The format twice: around the finder at the top left, and half each beside the other two. */
function drawFormat(draw: Draw, size: number): void {
  for (let i = 0; i < 15; i += 1) {
    const isBlack = ((FORMAT >> i) & 1) === 1;
    if (i < 8) draw(8, i < TIMING ? i : i + 1, isBlack);
    else draw(i === 8 ? 7 : 14 - i, 8, isBlack);
    if (i < 8) draw(size - 1 - i, 8, isBlack);
    else draw(8, size - 15 + i, isBlack);
  }
  draw(8, size - 8, true);
}

/** The version twice, with its error correction (annex D): beside the finders at the top right and at the bottom left. */
function drawVersion(draw: Draw, size: number, version: number): void {
  let rest = version;
  for (let i = 0; i < 12; i += 1) rest = (rest << 1) ^ ((rest >> 11) * VERSION_GENERATOR);
  const word = (version << 12) | rest;
  for (let i = 0; i < 18; i += 1) {
    const isBlack = ((word >> i) & 1) === 1;
    const along = Math.floor(i / 3);
    const across = size - 11 + (i % 3);
    draw(along, across, isBlack);
    draw(across, along, isBlack);
  }
}

/** Pairs of columns from the right, up and down by turns. */
function freeModules(modules: FixedModules): [number, number][] {
  const size = modules.length;
  const free: [number, number][] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === TIMING) right -= 1;
    for (let i = 0; i < size; i += 1) {
      const y = isUp ? size - 1 - i : i;
      for (const x of [right, right - 1]) if (modules[y]?.[x] === undefined) free.push([x, y]);
    }
  }
  return free;
}
