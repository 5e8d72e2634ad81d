import type { EnvironmentBlock } from '../../../src/public-types.js';
import type { Plant } from './plants.js';

export interface Held {
  readonly status: string;
  readonly parcels: number;
}

export interface ShopOptions {
  readonly env: EnvironmentBlock;
  readonly fetch?: unknown;
  readonly plant?: Plant['plant'] | undefined;
}

export class Shop {
  constructor(options: ShopOptions);
  readonly fetch: (request: Request) => Promise<Response>;
  restart(): void;
  buy(code: string, amount: string): Promise<{ readonly qr_code: string }>;
  holds(code: string): Promise<Held>;
  turnover(): number;
  book(): Promise<void>;
}
