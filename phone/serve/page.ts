// The phone's only page. Its policy allows only its own scripts and styles, and requests to the sandbox and the API.
export function pageFor(apiUrl: string): { html: string; policy: string } {
  const { origin } = new URL(apiUrl);
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f4f6f3" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0d1413" media="(prefers-color-scheme: dark)">
<meta name="ponte-api" content="${origin}">
<title>Ponte</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/phone/styles.css">
<script type="module" src="/phone/phone.js"></script>
</head>
<body><div id="phone"><noscript>The phone needs JavaScript. <span lang="pt-BR">O aplicativo precisa de JavaScript.</span></noscript></div></body>
</html>
`,
    policy: [
      `default-src 'none'`,
      `script-src 'self'`,
      `style-src 'self'`,
      `img-src 'self' data:`,
      `connect-src 'self' ${origin}`,
      `base-uri 'none'`,
      `form-action 'self'`,
      `frame-ancestors 'none'`,
    ].join('; '),
  };
}
