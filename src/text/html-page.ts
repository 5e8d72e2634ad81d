import { escapeXml } from './junit.js';

const BASE_STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; }
details { border-top: 1px solid light-dark(#ddd, #444); padding: .4rem 0; }
summary { cursor: pointer; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .2rem .5rem; margin: .5rem 0 .5rem 1rem; }
dt { color: light-dark(#666, #aaa); }
dd { margin: 0; overflow-wrap: anywhere; }
.pass { color: light-dark(#16703a, #5fd38d); }
.fail { color: light-dark(#b3261e, #ff8a80); font-weight: 600; }
`;

/** Creates a self-contained HTML page without scripts. `style` and `content` are inserted unchanged. */
export function createHtmlPage(title: string, style: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${BASE_STYLE}${style}</style>
</head>
<body>
<h1>${escapeXml(title)}</h1>
${content}
</body>
</html>
`;
}
