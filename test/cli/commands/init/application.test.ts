import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detectApplication } from '../../../../src/cli/commands/init/application.js';
import { findMappingProblem } from '../../../../src/text/environment.js';
import type { TempFolder } from '../../../helpers/temp-folder.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

type Files = Readonly<Record<string, string>>;

function projectWith(files: Files): TempFolder {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  return folder;
}

function detect(files: Files, known: Partial<Parameters<typeof detectApplication>[1]> = {}) {
  using folder = projectWith(files);
  return detectApplication(folder.path, { scripts: '', isNext: false, ...known });
}

const LISTEN = 'app.listen(process.env.PORT ?? 4000);';

describe('the webhook route of an application', () => {
  test.each<[string, Files, string, string]>([
    [
      'Express',
      { 'app.js': "app.post('/webhooks/pix', pix);\napp.listen(3001);" },
      '/webhooks/pix',
      'app.js:1',
    ],
    [
      'an Express router in TypeScript',
      {
        'src/server.ts': `import { routes } from './routes/index.js';\napp.use('/api', cors(), routes);\n${LISTEN}`,
        'src/routes/index.ts': "import hooks from './hooks';\nroutes.use('/pix', hooks);",
        'src/routes/hooks.ts':
          "router.get('/', list);\nrouter.post(\n  '/webhook',\n  handle,\n);\nexport default router;",
      },
      '/api/pix/webhook',
      'src/routes/hooks.ts:2',
    ],
    [
      'an Express router in the same file',
      {
        'app.js':
          "const hooks = express.Router();\nhooks.post('/', pixWebhook);\napp.use('/callback', hooks);",
      },
      '/callback',
      'app.js:2',
    ],
    [
      'a Fastify plugin',
      {
        'app.js': "const hooks = require('./hooks');\nfastify.register(hooks, { prefix: '/hooks' });",
        'hooks.js': "fastify.route({ method: 'POST', url: '/pix', handler });",
      },
      '/hooks/pix',
      'hooks.js:1',
    ],
    [
      '@fastify/autoload',
      {
        'src/app.ts':
          "import AutoLoad from '@fastify/autoload';\nfastify.register(AutoLoad, { dir: join(__dirname, 'routes') });",
        'src/routes/root.ts': "fastify.post('/', home);",
        'src/routes/payments/index.ts': "fastify.post('/notifications', receive);",
      },
      '/payments/notifications',
      'src/routes/payments/index.ts:1',
    ],
    [
      'Hono',
      {
        'index.ts':
          "import { hooks } from '@/hooks';\nconst app = new Hono().basePath('/v1');\napp.route('/webhook', hooks);",
        'hooks.ts': "hooks.post('/pix', (c) => c.text('ok'));",
      },
      '/v1/webhook/pix',
      'hooks.ts:1',
    ],
    [
      'the app directory of Next',
      { 'src/app/(shop)/api/webhooks/pix/route.ts': "import x from 'x';\nexport async function POST() {}" },
      '/api/webhooks/pix',
      'src/app/(shop)/api/webhooks/pix/route.ts:2',
    ],
    [
      'the pages directory of Next',
      {
        'pages/api/pix-webhook.js': 'export default function handler() {}',
        'app/api/webhook.js': 'module.exports = handler;',
      },
      '/api/pix-webhook',
      'pages/api/pix-webhook.js:1',
    ],
    [
      'NestJS',
      {
        'src/main.ts': "app.setGlobalPrefix('api');",
        'src/hooks.controller.ts':
          "@Controller('webhooks')\nexport class Hooks {\n  @Post('pix')\n  receive() {}\n}",
      },
      '/api/webhooks/pix',
      'src/hooks.controller.ts:3',
    ],
    [
      'node:http',
      { 'server.js': "if (request.url === '/hook') verify(request.headers['webhook-signature']);" },
      '/hook',
      'server.js:1',
    ],
    [
      'Flask',
      {
        'app.py':
          '@app.route("/hooks/pix", methods=["GET"])\n\n@app.route("/hooks/pix", methods=["POST"])\ndef hook(): pass',
      },
      '/hooks/pix',
      'app.py:3',
    ],
    [
      'a Flask blueprint',
      {
        'shop/hooks.py':
          'bp = Blueprint("hooks", __name__, url_prefix="/hooks")\n@bp.post("/pix")\ndef pix(): pass',
        'shop/__init__.py': 'from .hooks import bp\napp.register_blueprint(bp, url_prefix="/api")',
      },
      '/api/hooks/pix',
      'shop/hooks.py:2',
    ],
    [
      'FastAPI',
      {
        'app/main.py': 'from app.routers import hooks\napp.include_router(hooks.router, prefix="/v1")',
        'app/routers/hooks.py':
          'router = APIRouter(prefix="/hooks")\n@router.post("/pix/")\nasync def pix(): pass',
      },
      '/v1/hooks/pix/',
      'app/routers/hooks.py:2',
    ],
    [
      'Django',
      {
        'shop/urls.py': 'urlpatterns = [path("pay/", include("payments.urls"))]',
        'payments/urls.py':
          'urlpatterns = [\n  path("orders/", orders),\n  path("webhook/", views.webhook),\n]',
      },
      '/pay/webhook/',
      'payments/urls.py:3',
    ],
    ['Go', { 'main.go': 'mux.HandleFunc("POST /webhooks/pix", pix)' }, '/webhooks/pix', 'main.go:1'],
    [
      'Rails',
      { 'config/routes.rb': "  post 'webhooks/pix', to: 'hooks#pix'" },
      '/webhooks/pix',
      'config/routes.rb:1',
    ],
    [
      'Laravel',
      { 'routes/api.php': "Route::post('/webhook/pix', [Hooks::class, 'pix']);" },
      '/webhook/pix',
      'routes/api.php:1',
    ],
    [
      'Spring',
      {
        'src/main/java/Hooks.java':
          '@RequestMapping("/webhooks")\nclass Hooks {\n  @PostMapping(value = "/pix")\n',
      },
      '/webhooks/pix',
      'src/main/java/Hooks.java:3',
    ],
  ])('%s', (_, files, path, place) => {
    const { receivers } = detect(files);
    expect(receivers.map((route) => [route.path, route.place])).toEqual([[path, place]]);
  });

  test('prefers webhooks of payments, and lists other candidates', () => {
    const { receivers, order } = detect({
      'app.js': [
        "app.post('/pix', charge);",
        "// app.post('/webhooks/old', old);",
        "app.post('/callback', pixCallback);",
        "app.post('/webhooks/github', github);",
        "app.post('/webhooks/pix', pix);",
        "app.post('/webhooks/:id', other);",
        "app.post('/register-webhook', register);",
        "app.post('/hooks/notifications', notify);",
        "app.post('/hooks/verified', (req) => new Webhook(secret).verify(req));",
        "axios.post('/webhooks/client', {});",
      ].join('\n'),
      'test/app.test.js': "app.post('/webhooks/test', pix);",
      'node_modules/a/index.js': "app.post('/webhooks/dependency', pix);",
    });
    expect(receivers.map(({ path }) => path)).toEqual([
      '/hooks/verified',
      '/webhooks/pix',
      '/callback',
      '/hooks/notifications',
    ]);
    expect(order?.route.path).toBe('/pix');
  });

  test('skips large files and follows no links', () => {
    using other = projectWith({ 'app.js': "app.post('/webhooks', pix);" });
    using folder = projectWith({ 'app.js': `app.post('/webhooks', pix);\n//${' '.repeat(300_000)}` });
    mkdirSync(join(folder.path, 'src'));
    symlinkSync(join(other.path, 'app.js'), join(folder.path, 'src/app.js'));
    symlinkSync(other.path, join(folder.path, 'linked'));
    expect(detectApplication(folder.path, { scripts: '', isNext: false }).receivers).toEqual([]);
  });
});

describe('the port of an application', () => {
  test.each<[Files, string, string]>([
    [{ 'a.js': 'x();\napp.listen(3001)', '.env': 'PORT=1234' }, '3001', 'a.js:2'],
    [{ 'a.ts': 'await app.listen({ port: 3002 });' }, '3002', 'a.ts:1'],
    [{ 'a.ts': 'serve({ fetch: app.fetch, port: 3003 });' }, '3003', 'a.ts:1'],
    [{ 'a.js': LISTEN }, '4000', 'a.js:1'],
    [{ 'a.js': LISTEN, '.env': 'DB_PORT=5432\nPORT="4001"', '.env.example': 'PORT=1' }, '4001', '.env:2'],
    [{ 'a.js': 'const port = config.port;\napp.listen(port)' }, '3000', 'default'],
    [
      { 'config.ts': 'export const port = Number(process.env.PORT || 4002);', 'a.ts': 'app.listen(port)' },
      '4002',
      'config.ts:1',
    ],
    [{ 'a.py': 'app = Flask(__name__)' }, '5000', 'default'],
    [{ 'a.py': 'app.run(host="0.0.0.0", port=5001)' }, '5001', 'a.py:1'],
    [{ 'a.py': 'app.run(port=int(os.environ.get("PORT", 8080)))' }, '8080', 'a.py:1'],
    [{ 'a.py': 'app = FastAPI()' }, '8000', 'default'],
    [{ 'a.go': 'http.ListenAndServe(":8081", nil)' }, '8081', 'a.go:1'],
    [
      { 'A.java': '', 'src/application.properties': 'server.port=8082', 'B.java': 'x' },
      '8082',
      'src/application.properties:1',
    ],
    [{ 'B.java': 'class B {}' }, '8080', 'default'],
    [{ 'config/routes.rb': 'x' }, '3000', 'default'],
    [{ 'bin/www': "const port = normalizePort(process.env.PORT || '3000');" }, '3000', 'bin/www:1'],
    [{ 'bin/www': "normalizePort(process.env.PORT || '3000');", '.env': 'PORT=3101' }, '3101', '.env:1'],
  ])('%j: %s', (files, port, place) => {
    expect(detect(files).port).toMatchObject({ port, place });
  });

  test.each([
    [{ FASTIFY_PORT: '3103', PORT: '1' }, '', '3103', 'FASTIFY_PORT in the environment'],
    [{ PORT: '3104' }, 'FASTIFY_PORT=3105', '3104', 'PORT in the environment'],
    [{ FASTIFY_PORT: 'x' }, 'FASTIFY_PORT=3105', '3105', '.env:1'],
  ])('of fastify-cli is read from %j and .env: %s', (env, dotenv, port, place) => {
    const found = detect({ 'app.js': '', '.env': dotenv }, { scripts: 'fastify start app.js', env }).port;
    expect(found).toEqual({ port, place, variable: 'FASTIFY_PORT' });
    expect(detect({ 'app.js': LISTEN }, { env: { FASTIFY_PORT: '1234' } }).port.port).toBe('4000');
  });

  test('is read from the start script of Next', () => {
    const files = { 'app/api/hooks/route.ts': 'export const POST = handle;', '.env': 'PORT=1' };
    expect(detect(files, { scripts: 'next dev -p 3005', isNext: true }).port.port).toBe('3005');
    expect(detect(files, { isNext: true }).port).toEqual({
      port: '3000',
      place: 'default',
      variable: 'PORT',
    });
  });
});

test.each<[Files, string | undefined]>([
  [{ 'server.mjs': 'app.listen(3000)' }, 'node server.mjs'],
  [{ 'src/app.py': 'app = Flask(__name__)' }, 'python3 -m flask --app src/app.py run --port 5000'],
  [{ 'app.py': "app = Flask(__name__)\nif __name__ == '__main__':\n    app.run()" }, 'python3 app.py'],
  [{ 'app/main.py': 'api = FastAPI()' }, 'python3 -m uvicorn app.main:api --port 8000'],
  [{ 'manage.py': 'x', 'shop/urls.py': 'x' }, 'python3 manage.py runserver 8000'],
  [{ 'main.go': 'http.ListenAndServe(":8080", nil)' }, 'go run .'],
  [{ 'server.ts': 'app.listen(3000)' }, undefined],
])('%j is started by %s', (files, program) => {
  expect(detect(files).program).toBe(program);
});

describe('the order route of an application', () => {
  test.each<[Files, object | undefined]>([
    [
      {
        'a.js':
          "app.post('/orders', (req, res) => {\n  const { code, customerEmail, total = 0 } = req.body;\n});\napp.post('/x', (req) => req.body.other)",
      },
      { code: 'order-1', customerEmail: 'maria@example.com', total: '10.00' },
    ],
    [{ 'a.js': "app.post('/checkout', (req) => Number(req.body.amount).toFixed(2))" }, { amount: 10 }],
    [
      {
        'a.py':
          '@app.post("/pix")\ndef pix():\n    data = request.get_json()\n    pay(data["cpf"], data.get("valor"))',
      },
      { cpf: '52998224725', valor: '10.00' },
    ],
    [
      {
        'a.ts':
          "f.post('/orders', (r) => {\n  const { code, amount } = JSON.parse(r.body as string) as Order;\n  pay(r.body as X);\n});",
      },
      { code: 'order-1', amount: '10.00' },
    ],
    [
      {
        'a.ts':
          "f.post('/orders', (r) => {\n  const { code }: Order = r.body as Order;\n  (r.body as Order).cpf;\n});",
      },
      { code: 'order-1', cpf: '52998224725' },
    ],
    [{ 'a.js': "app.post('/orders/cancel', cancel);\napp.post('/orders/:code', order);" }, undefined],
  ])('%j: %j', (files, body) => {
    expect(detect(files).order?.body).toEqual(body);
  });

  const PYTHON = '@app.post("/orders")\ndef create():\n    pay(request.json["code"])\n';
  test.each<[string, Files, string | undefined]>([
    ['FastAPI', { 'a.py': `${PYTHON}@app.get("/orders/{code}/")` }, '/orders/order-1/'],
    [
      'Flask',
      { 'a.py': `${PYTHON}@app.route("/orders/<string:code>", strict_slashes=False)` },
      '/orders/order-1',
    ],
    ['Flask', { 'a.py': `${PYTHON}@app.route("/orders/<code>", methods=["PUT"])` }, undefined],
    ['Flask', { 'a.py': `${PYTHON}@app.get("/orders/<int:id>")` }, undefined],
    [
      'Fastify with types',
      {
        'a.ts':
          "f.post('/orders', (req) => pay(req.body.code));\nf.get<{ Params: { code: string } }>('/orders/:code', show);",
      },
      '/orders/order-1',
    ],
    [
      'an Express router',
      {
        'a.js': "app.use('/api/orders', require('./b'));",
        'b.js': "router.post('/', (req) => pay(req.body.code));\nrouter.get('/:code', show);",
      },
      '/api/orders/order-1',
    ],
    [
      'a parameter folder of @fastify/autoload',
      {
        'app.js':
          "const AutoLoad = require('@fastify/autoload');\nf.register(AutoLoad, { dir, routeParams: true });",
        'routes/orders/index.js': "f.post('/', (req) => pay(req.body.code));",
        'routes/orders/_code/index.js': "f.get('/', show);",
      },
      '/orders/order-1',
    ],
    [
      'Next',
      {
        'app/orders/route.ts': 'export const POST = ({ body }) => pay(body.code);',
        'app/orders/[code]/route.ts': 'export async function GET() {}',
      },
      '/orders/order-1',
    ],
  ])('%s returns the order at a path: %j', (_, files, path) => {
    expect(detect(files).order?.shown).toBe(path);
  });
});

describe('the variables of an application', () => {
  test('are mapped by their names', () => {
    const names = {
      PIX_TOKEN: 'SANDBOX_TOKEN',
      GATEWAY_API_KEY: 'SANDBOX_TOKEN',
      PAYMENT_SIGNING_SECRET: 'SANDBOX_SIGNING_SECRET',
      PSP_API_SECRET: 'SANDBOX_SIGNING_SECRET',
      PIX_WEBHOOK_SECRET: 'SANDBOX_WEBHOOK_SECRET',
      WEBHOOK_SECRET: 'SANDBOX_WEBHOOK_SECRET',
      PIX_API_URL: 'SANDBOX_BASE_URL',
      PIX_ACCOUNT_ID: 'SANDBOX_ACCOUNT_ID',
      KYC_API_URL: 'SANDBOX_KYC_API_URL',
      KYC_TOKEN: 'SANDBOX_KYC_TOKEN',
      KYC_PUBLISHABLE_KEY: 'SANDBOX_KYC_PUBLISHABLE_KEY',
    };
    const others = [
      'GITHUB_TOKEN',
      'PAYPAL_TOKEN',
      'STRIPE_WEBHOOK_SECRET',
      'PIX_KEY',
      'PIX_WEBHOOK_URL',
      'API_URL',
      'SANDBOX_PIX_TOKEN',
      'REPAY_TOKEN',
    ];
    const dotenv = [...Object.keys(names), ...others].map((name) => `${name}=secret`).join('\n');
    const { env } = detect({ '.env': dotenv });
    expect(env).toEqual(names);
    for (const [name, source] of Object.entries(env))
      expect(findMappingProblem(name, source)).toBeUndefined();
  });

  test('are read from the sources', () => {
    const { env } = detect({
      'a.js':
        "const { PIX_TOKEN, PORT } = process.env;\nfetch(process.env.PIX_URL, process.env['PIX_ACCOUNT']);",
      'b.py': 'os.environ["PSP_SECRET"], os.getenv("PSP_TOKEN"), CONSTANT["PIX_API_KEY"]',
    });
    expect(Object.keys(env).sort()).toEqual([
      'PIX_ACCOUNT',
      'PIX_TOKEN',
      'PIX_URL',
      'PSP_SECRET',
      'PSP_TOKEN',
    ]);
  });

  test('contain the start of the API’s path, but no other value', () => {
    const example =
      'PIX_API_URL="https://api.example.com/api/"\nPAY_URL=https://x.example/v2\nPSP_URL=https://x.example\n';
    expect(detect({ '.env.example': example }).env).toEqual({
      PIX_API_URL: '{SANDBOX_BASE_URL}/api',
      PAY_URL: 'SANDBOX_BASE_URL',
      PSP_URL: 'SANDBOX_BASE_URL',
    });
    expect(detect({ '.env': example }).env).toMatchObject({ PIX_API_URL: 'SANDBOX_BASE_URL' });
  });
});
