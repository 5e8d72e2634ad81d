import jsQR from 'jsqr';
import { PNG } from 'pngjs';

const SCALE = 4;

/** Reads the text of a QR code, scaled as pages do: decoders miss small symbols of one pixel per module. */
export function readQr(image: Buffer): string | undefined {
  const { data, width } = PNG.sync.read(image);
  const size = width * SCALE;
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * width);
  const scaled = Uint32Array.from({ length: size * size }, (_, at) => {
    const [x, y] = [Math.floor((at % size) / SCALE), Math.floor(at / size / SCALE)];
    return pixels[y * width + x] ?? 0;
  });
  return jsQR(new Uint8ClampedArray(scaled.buffer), size, size)?.data;
}
