import type { Shop } from './shop.js';

export class Bank {
  constructor(fetch: (path: string, init?: never) => Promise<unknown>);
  pay(bought: { readonly qr_code: string }): Promise<void>;
  fail(code: string): Promise<void>;
  expire(code: string): Promise<void>;
  delivered(type: string, code: string): Promise<void>;
  paid(): Promise<number>;
  transactions(): Promise<string[]>;
}

export type Suite = Readonly<Record<string, (shop: Shop, bank: Bank) => Promise<void>>>;

export const SUITE: Suite;

export function runSuite(shop: Shop, bank: Bank, tests?: Suite): Promise<void>;
