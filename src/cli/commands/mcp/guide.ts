import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageFolder, getFixturePath } from '../../program/input-bytes.js';
import { splitText, type ToolResult } from './result.js';

const PAGES_AT_ROOT = ['AGENTS', 'README', 'INTERFACE', 'SECURITY', 'CHANGELOG'];
/** Further pages by name, e.g. indexed by AGENTS.md. */
const OTHER_PAGES = {
  'shop/README': 'examples/shop/README.md',
  SKILL: 'skills/pix-sandbox/SKILL.md',
};
/** Long sections about the past, which contain most words. */
const UNSEARCHED = 'CHANGELOG';
const RESULTS_MAX = 6;
const EXCERPT_MAX = 160;

interface Section {
  readonly page: string;
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

/** Returns the file of every shipped document by its name. */
function listPages(): ReadonlyMap<string, string> {
  const root = findPackageFolder();
  const guides = getFixturePath('guides');
  const own = PAGES_AT_ROOT.map((name) => [name, join(root, `${name}.md`)] as const);
  const files = readdirSync(guides).filter((file) => file.endsWith('.md') && file !== 'README.md');
  const pages = files.map((file) => [file.slice(0, -3), join(guides, file)] as const);
  const others = Object.entries(OTHER_PAGES).map(([name, path]) => [name, getFixturePath(path)] as const);
  return new Map([...own, ...pages, ...others].filter(([, path]) => existsSync(path)));
}

/** Finds a page by name or by its path in the package. Never reads another file. */
function findPage(pages: ReadonlyMap<string, string>, given: string): string | undefined {
  const name = given.replace(/\.md$/, '').replace(/^fixtures\/guides\//, '');
  const other = Object.entries(OTHER_PAGES).find(([, path]) => given === `fixtures/${path}`)?.[0];
  return pages.get(other ?? name);
}

/** Splits a document at its headings, ignoring code. */
function splitSections(page: string, markdown: string): readonly Section[] {
  const sections: (Omit<Section, 'text'> & { text: string })[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', heading] = (isCode ? null : /^(#{1,4}) (.+)$/.exec(line)) ?? [];
    if (heading !== undefined) sections.push({ page, heading, level: marks.length, text: '' });
    const section = sections.at(-1);
    if (section !== undefined && heading === undefined) section.text += `${line}\n`;
  }
  return sections;
}

/** Searches the documents, or reads a part of a page or of one of its sections. */
export function readGuide({
  search,
  page,
  section,
  part = '1',
}: Readonly<Record<string, string | undefined>>): ToolResult {
  const pages = listPages();
  if (page === undefined) return searchGuides(pages, search ?? '');
  const file = findPage(pages, page);
  if (file === undefined) {
    const known = [...pages.keys()];
    return {
      text: `There is no page ${page}. Pages: ${known.join(', ')}.`,
      json: { pages: known },
      next: 'Read one of these pages.',
      isError: true,
    };
  }
  const markdown = readFileSync(file, 'utf8');
  const sections = splitSections(page, markdown);
  const headings = sections.map(({ heading }) => heading);
  const found = section === undefined ? undefined : findSection(sections, section);
  if (section !== undefined && found === undefined) {
    return {
      text: `${page} has no section ${section}. Sections: ${headings.join(', ')}.`,
      json: { page, sections: headings },
      next: 'Read one of these sections.',
      isError: true,
    };
  }
  const parts = splitText(found ?? markdown);
  const number = /^\d{1,4}$/.test(part) ? Number(part) : 0;
  const text = parts[number - 1];
  if (text === undefined) {
    const known = `Parts: 1 to ${parts.length}.`;
    return { text: `There is no part ${part}. ${known}`, json: { page }, next: known, isError: true };
  }
  const more = number < parts.length ? `For the rest, pass part=${number + 1} of ${parts.length}.` : '';
  const next =
    found === undefined ? 'For one section only, pass section.' : 'Apply it, then run check_handler.';
  return {
    text,
    json: { page, part: number, parts: parts.length, sections: headings },
    next: more === '' ? next : more,
    rest: 'Search for other headings.',
  };
}

/** Finds a section by its heading, or by a part of it. Returns its text with its subsections. */
function findSection(sections: readonly Section[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  const headings = sections.map(({ heading }) => heading.toLowerCase());
  const matches = [
    headings.indexOf(wanted),
    headings.findIndex((heading) => heading.startsWith(wanted)),
    headings.findIndex((heading) => heading.includes(wanted)),
  ];
  const start = matches.find((index) => index >= 0);
  if (start === undefined) return undefined;
  const [first, ...others] = sections.slice(start);
  const end = others.findIndex(({ level }) => level <= (first?.level ?? 0));
  return sections
    .slice(start, end < 0 ? undefined : start + 1 + end)
    .map(({ level, heading, text }) => `${'#'.repeat(level)} ${heading}\n${text}`)
    .join('');
}

function searchGuides(pages: ReadonlyMap<string, string>, search: string): ToolResult {
  const words = search.toLowerCase().match(/[\p{L}\d_.-]{2,}/gu) ?? [];
  const all = Array.from(pages)
    .filter(([page]) => page !== UNSEARCHED)
    .flatMap(([page, file]) => splitSections(page, readFileSync(file, 'utf8')));
  const ranked = all
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ section }) => section);
  const results = ranked.map(({ page, heading, text }) => ({
    page,
    section: heading,
    excerpt: excerptOf(text, words),
  }));
  const lines = results.map(({ page, section, excerpt }) => `${page} › ${section}\n  ${excerpt}`);
  const isFound = results.length > 0;
  return {
    text: isFound ? lines.join('\n') : `Nothing found. Pages: ${[...pages.keys()].join(', ')}.`,
    json: isFound ? { results } : { results, pages: [...pages.keys()] },
    next: isFound ? 'Read a section with page and section.' : 'Search with other words, or read a page.',
  };
}

/** Counts the words of a section; the heading counts more, and so does a section with several of the words. */
function scoreOf({ heading, text, page }: Section, words: readonly string[]): number {
  const body = text.toLowerCase();
  const title = `${page} ${heading}`.toLowerCase();
  const found = words.filter((word) => body.includes(word) || title.includes(word));
  const inTitle = words.filter((word) => title.includes(word)).length;
  return found.length === 0
    ? 0
    : found.length * found.length * 10 + inTitle * 15 - Math.log2(body.length + 2);
}

function excerptOf(text: string, words: readonly string[]): string {
  const line = text.split('\n').find((one) => words.some((word) => one.toLowerCase().includes(word))) ?? text;
  return line.trim().slice(0, EXCERPT_MAX);
}
