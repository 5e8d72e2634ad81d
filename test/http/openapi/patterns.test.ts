import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readDocuments } from '../../helpers/openapi/openapi-documents.js';

/** What some engine refuses, or reads in another way: RE2, Python's `re`, or JavaScript with or without the flag `u`. */
const UNPORTABLE: readonly RegExp[] = [
  /\\[pPuUkKAzZGQE]/, // properties, code points, names, anchors of one engine
  /\\[1-9]/, // back references
  /\(\?(?!:)/, // look-around, names, atomic groups, flags
  /[*+?}]\+/, // possessive
  /\[:|&&|--/, // classes within classes
];
const SCHEMA_FILES = ['config/sandbox.config.schema.json', 'scenarios/scenario.schema.json'];

const patterns = new Set<string>();
beforeAll(async () => {
  const documents: unknown[] = Object.values(await readDocuments());
  const files = SCHEMA_FILES.map((file) => new URL(`../../../fixtures/${file}`, import.meta.url));
  gather([...documents, ...files.map((file): unknown => JSON.parse(readFileSync(file, 'utf8')))]);
});

function gather(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if ('pattern' in value && typeof value.pattern === 'string') patterns.add(value.pattern);
  for (const child of Object.values(value)) gather(child);
}

describe('patterns of published schemas', () => {
  test('patterns of published schemas contain nothing that an engine of regular expressions rejects', () => {
    expect(patterns.size).toBeGreaterThan(15);
    expect([...patterns].filter((pattern) => UNPORTABLE.some((part) => part.test(pattern)))).toEqual([]);
  });

  test('patterns of published schemas match the same with and without the flag u', () => {
    const samples = [
      '',
      'order-1042',
      'https://shop.example/hooks',
      'Ana María',
      '💸',
      'a b',
      'a\u0007',
      '10.00',
    ];
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
      const [read, readWithFlag] = [plain, unicode].map((one) => samples.filter((text) => one.test(text)));
      expect({ pattern, read }).toEqual({ pattern, read: readWithFlag });
    }
  });

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'patterns of published schemas compile in Python',
    () => {
      const program = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)';
      const { status, stderr } = spawnSync('python3', ['-c', program], {
        input: JSON.stringify([...patterns]),
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(status).toBe(0);
    },
  );
});
