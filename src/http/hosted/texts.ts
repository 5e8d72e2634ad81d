import { FAILURE_REASONS } from '../../contract/enums.js';
import { type SingleLanguage, selectLanguage, createTextTable } from '../../text/i18n.js';

/** Hosted page strings in English and Portuguese. */
const TEXTS = createTextTable({
  language: ['en', 'pt-BR'],
  site: ['Identity verification (sandbox)', 'Verificação de identidade (sandbox)'],
  errorPrefix: ['Error: ', 'Erro: '],
  banner: {
    tag: 'Sandbox',
    text: [
      'This is a test environment. Your details stay in the sandbox, which only validates their format.',
      'Este é um ambiente de teste. Seus dados ficam no sandbox, que valida apenas o formato.',
    ],
  },
  progress: ['Progress', 'Progresso'],
  errorSummary: ['Please fix these errors', 'Corrija estes erros'],
  errorCode: ['Error code', 'Código de erro'],
  tryAgain: ['Try again', 'Tentar novamente'],
  resultNote: ['You can return to the previous page.', 'Você pode voltar à página anterior.'],
  close: ['Close', 'Fechar'],
  start: {
    title: ['Verify your identity', 'Verifique sua identidade'],
    lead: [
      'This takes about two minutes. Have your document ready.',
      'Leva cerca de dois minutos. Tenha seu documento em mãos.',
    ],
    legend: ['Who is being verified?', 'Quem será verificado?'],
    individual: ['Individual (CPF)', 'Pessoa física (CPF)'],
    business: ['Company (CNPJ)', 'Pessoa jurídica (CNPJ)'],
    next: ['Start', 'Começar'],
  },
  steps: {
    details: {
      step: ['Your details', 'Seus dados'],
      title: ['Enter your details', 'Informe seus dados'],
      lead: [
        'We need two pieces of information to verify your identity.',
        'Precisamos de duas informações para verificar sua identidade.',
      ],
      next: ['Continue', 'Continuar'],
    },
    consent: {
      step: ['Consent', 'Consentimento'],
      title: ['Confirm your consent', 'Confirme seu consentimento'],
      lead: [
        'We check your details against public records and compare your face with your document.',
        'Consultamos registros públicos e comparamos seu rosto com seu documento.',
      ],
      next: ['Agree and continue', 'Concordar e continuar'],
    },
    camera: {
      step: ['Camera', 'Câmera'],
      title: ['Take a photo', 'Tire uma foto'],
      lead: [
        'Hold your document next to your face and look at the camera.',
        'Segure seu documento ao lado do rosto e olhe para a câmera.',
      ],
      next: ['Simulate photo', 'Simular foto'],
    },
    decision: {
      step: ['Decision', 'Decisão'],
      title: ['Verification decision', 'Decisão da verificação'],
      lead: [
        'In production, the service decides now. In the sandbox, choose the outcome in the panel.',
        'Em produção, o serviço decide agora. No sandbox, escolha o resultado no painel.',
      ],
    },
  },
  individual: {
    name: ['Full name', 'Nome completo'],
    document: 'CPF',
    hint: [
      '11 digits, with or without punctuation. The sandbox accepts any valid number, e.g. 123.456.789-09.',
      '11 dígitos, com ou sem pontuação. O sandbox aceita qualquer número válido, ex.: 123.456.789-09.',
    ],
    problem: [
      'Enter a valid CPF: 11 digits with correct check digits.',
      'Informe um CPF válido: 11 dígitos, com dígitos verificadores corretos.',
    ],
  },
  business: {
    name: ['Legal name', 'Razão social'],
    document: 'CNPJ',
    hint: [
      '14 characters, with or without punctuation. The sandbox accepts any valid number, e.g. 12.ABC.345/01DE-35.',
      '14 caracteres, com ou sem pontuação. O sandbox aceita qualquer número válido, ex.: 12.ABC.345/01DE-35.',
    ],
    problem: [
      'Enter a valid CNPJ: 14 characters with correct check digits.',
      'Informe um CNPJ válido: 14 caracteres, com dígitos verificadores corretos.',
    ],
  },
  consent: {
    name: ['Name', 'Nome'],
    document: ['Document', 'Documento'],
    box: [
      'I agree to the use of my details and photos to verify my identity.',
      'Concordo com o uso dos meus dados e imagens para verificar minha identidade.',
    ],
  },
  camera: {
    picture: [
      'Illustration of a face next to a document, in place of a camera image.',
      'Ilustração de um rosto ao lado de um documento, no lugar da imagem da câmera.',
    ],
    note: [
      'This step simulates the camera. The sandbox does not access your camera or take photos.',
      'Esta etapa simula a câmera. O sandbox não acessa a câmera nem tira fotos.',
    ],
  },
  panel: {
    tag: ['Sandbox only', 'Apenas no sandbox'],
    title: ['Choose the outcome', 'Escolha o resultado'],
    summary: ['Skip these steps: choose the outcome now', 'Pular etapas: escolher o resultado agora'],
    lead: [
      'This panel exists only in the sandbox. It ends the verification with the chosen outcome.',
      'Este painel existe apenas no sandbox. Ele encerra a verificação com o resultado escolhido.',
    ],
    legend: ['Outcome', 'Resultado'],
    errorCodeHint: [
      'Used only with “Fail with an error code”. Uppercase letters, digits and underscores.',
      'Usado apenas com “Falhar com um código de erro”. Letras maiúsculas, dígitos e sublinhados.',
    ],
    delay: ['Result delay', 'Atraso do resultado'],
    delayHint: [
      'For example 2s, 5m or 1h. During the delay, the result is 409 NOT_TERMINAL; the callback fires immediately.',
      'Por exemplo, 2s, 5m ou 1h. Durante o atraso, o resultado é 409 NOT_TERMINAL; o callback dispara imediatamente.',
    ],
    submit: ['Decide', 'Decidir'],
    noPage: [
      'This page was not opened by a registered page, so no page receives the outcome. Register an origin with ' +
        '`npx sandbox start --origin URL`.',
      'Esta página não foi aberta por uma página registrada; por isso, nenhuma página recebe o ' +
        'resultado. Registre uma origem com `npx sandbox start --origin URL`.',
    ],
    report: ['Result', 'Resultado'],
    sent: ['Sent', 'Enviado'],
    sentTo: ['by postMessage to', 'por postMessage para'],
    calls: ['the SDK calls', 'o SDK chama'],
    unsent: [
      'nothing: no registered page opened or embeds this page',
      'nada: nenhuma página registrada abriu ou incorpora esta página',
    ],
    status: 'Status',
    readable: ['Result available', 'Resultado disponível'],
    readableNow: ['now', 'agora'],
    readableLater: ['after', 'após'],
  },
  outcomes: {
    approved: {
      label: ['Approve', 'Aprovar'],
      hint: [
        'Result approved, with a euid; calls onSuccess.',
        'Resultado approved, com euid; chama onSuccess.',
      ],
      title: ['Identity verified', 'Identidade verificada'],
      text: ['The verification was approved.', 'A verificação foi aprovada.'],
    },
    rejected: {
      label: ['Reject', 'Rejeitar'],
      hint: [
        'Result rejected; calls onError with REJECTED.',
        'Resultado rejected; chama onError com REJECTED.',
      ],
      title: ['We could not verify your identity', 'Não foi possível verificar sua identidade'],
      text: ['The verification was rejected.', 'A verificação foi rejeitada.'],
    },
    under_review: {
      label: ['Send for review', 'Enviar para análise'],
      hint: ['Result under_review; calls onReview.', 'Resultado under_review; chama onReview.'],
      title: ['Verification under review', 'Verificação em análise'],
      text: [
        'The verification requires a review, which may take some time.',
        'A verificação requer análise, o que pode levar algum tempo.',
      ],
    },
    cancelled: {
      label: ['Cancel', 'Cancelar'],
      hint: [
        'Result cancelled; calls onError with CANCELLED.',
        'Resultado cancelled; chama onError com CANCELLED.',
      ],
      title: ['Verification cancelled', 'Verificação cancelada'],
      text: ['The verification was cancelled.', 'A verificação foi cancelada.'],
    },
    expired: {
      label: ['Expire', 'Expirar'],
      hint: ['Result expired; calls onError with EXPIRED.', 'Resultado expired; chama onError com EXPIRED.'],
      title: ['Verification expired', 'Verificação expirada'],
      text: ['The verification was not completed in time.', 'A verificação não foi concluída a tempo.'],
    },
    error: {
      label: ['Fail with an error code', 'Falhar com um código de erro'],
      hint: [
        'The page fails and the session stays undecided; calls onError with the code below.',
        'A página falha e a sessão continua sem decisão; chama onError com o código abaixo.',
      ],
      title: ['Something went wrong', 'Algo deu errado'],
      text: [
        'The page failed. The verification is still undecided.',
        'A página falhou. A verificação continua sem decisão.',
      ],
    },
  },
  deadEnds: {
    finished: {
      title: ['Verification already completed', 'Verificação já concluída'],
      text: [
        'This verification cannot be opened again. Create a new session for another attempt.',
        'Esta verificação não pode ser aberta novamente. Crie uma nova sessão para outra tentativa.',
      ],
    },
    lapsed: {
      title: ['Verification expired', 'Verificação expirada'],
      text: [
        'The verification was not completed in time. Create a new session for another attempt.',
        'A verificação não foi concluída a tempo. Crie uma nova sessão para outra tentativa.',
      ],
    },
    unknownSession: {
      title: ['Verification not found', 'Verificação não encontrada'],
      text: [
        'No session exists at this URL. Sessions are lost when the sandbox is reset, or stopped without `--data`.',
        'Nenhuma sessão nesta URL. As sessões são perdidas ao redefinir o sandbox ou encerrá-lo sem `--data`.',
      ],
    },
    unknownPage: {
      title: ['Page not found', 'Página não encontrada'],
      text: ['No page exists at this URL.', 'Nenhuma página encontrada nesta URL.'],
    },
    badMethod: {
      title: ['Method not allowed', 'Método não permitido'],
      text: [
        'This URL does not accept this request method.',
        'Esta URL não aceita este método de requisição.',
      ],
    },
    badForm: {
      title: ['This form is no longer valid', 'Este formulário não é mais válido'],
      text: [
        'The form does not belong to this verification. Open the verification again from the previous page.',
        'O formulário não pertence a esta verificação. Abra a verificação novamente a partir da página anterior.',
      ],
    },
    badMediaType: {
      title: ['Unsupported media type', 'Tipo de mídia não suportado'],
      text: [
        'This URL accepts only forms: application/x-www-form-urlencoded.',
        'Esta URL aceita apenas formulários: application/x-www-form-urlencoded.',
      ],
    },
    unavailable: {
      title: ['Not available', 'Indisponível'],
      text: [
        'Identity verification is disabled in this sandbox or has no credentials.',
        'A verificação de identidade está desativada neste sandbox ou não tem credencial.',
      ],
    },
    unknownKey: {
      title: ['Unknown publishable key', 'Chave publicável desconhecida'],
      text: [
        'No application has the publishable key in this URL. `npx sandbox env` prints the correct key.',
        'Nenhuma aplicação tem a chave publicável desta URL. `npx sandbox env` mostra a correta.',
      ],
    },
    unknownOrigin: {
      title: ['Origin not registered', 'Origem não registrada'],
      text: [
        'The page that opened this one is not registered. Register its origin with `npx sandbox start --origin URL`.',
        'A página que abriu esta não está registrada. Registre a origem dela com `npx sandbox start --origin URL`.',
      ],
    },
    missingOrigin: {
      title: ['Verification opened directly', 'Verificação aberta diretamente'],
      text: [
        'Without a session, a registered page must open the verification, for example with the SDK.',
        'Sem sessão, uma página registrada precisa abrir a verificação, por exemplo com o SDK.',
      ],
    },
    failed: {
      title: ['Internal sandbox error', 'Erro interno do sandbox'],
      text: ['See the sandbox output for details.', 'Veja os detalhes na saída do sandbox.'],
    },
  },
  problems: {
    name: ['Enter a name.', 'Informe um nome.'],
    nameLength: ['Enter a name of at most 140 characters.', 'Informe um nome de até 140 caracteres.'],
    consent: [
      'Check the box to agree; the verification requires your consent.',
      'Marque a caixa para concordar; a verificação exige seu consentimento.',
    ],
    outcome: ['Choose an outcome.', 'Escolha um resultado.'],
    errorCode: [
      'Enter an error code of uppercase letters, digits and underscores, such as PROVIDER_ERROR.',
      'Informe um código com letras maiúsculas, dígitos e sublinhados, como PROVIDER_ERROR.',
    ],
    delay: ['Enter a delay such as 0s, 2s, 5m or 1h.', 'Informe um atraso como 0s, 2s, 5m ou 1h.'],
    customerType: ['Choose who is being verified.', 'Escolha quem será verificado.'],
  },
  pay: {
    site: ['PIX sandbox', 'Sandbox PIX'],
    banner: {
      tag: ['TEST ENVIRONMENT', 'AMBIENTE DE TESTE'],
      text: ['no real money', 'sem dinheiro real'],
    },
    statuses: {
      PENDING: ['Waiting for payment', 'Aguardando pagamento'],
      SETTLED: ['Paid', 'Pago'],
      FAILED: ['Failed', 'Falhou'],
      EXPIRED: ['Expired', 'Expirado'],
    },
    expiresIn: ['expires in', 'expira em'],
    simulated: ['(sandbox time)', '(tempo do sandbox)'],
    frozen: ['(sandbox time, clock frozen)', '(tempo do sandbox, relógio congelado)'],
    code: ['Charge', 'Cobrança'],
    pix: ['PIX copy and paste', 'PIX Copia e Cola'],
    copy: ['Copy code', 'Copiar código'],
    copied: ['Copied', 'Copiado'],
    lost: [
      'Disconnected from the sandbox. Reload this page to see the current status.',
      'Conexão com o sandbox perdida. Recarregue a página para ver o status atual.',
    ],
    elsewhere: {
      title: ['Open this page on a phone', 'Abra esta página no celular'],
      picture: ['QR code with the URL of this page', 'QR Code com a URL desta página'],
    },
    panelTag: ['Sandbox only', 'Apenas no sandbox'],
    panelTitle: ['Choose the outcome', 'Escolha o resultado'],
    reason: ['Failure reason', 'Motivo da falha'],
    button: (text: string) => text,
    reasons: {
      AB03: [FAILURE_REASONS.AB03, 'tempo esgotado no SPI'],
      AB09: [FAILURE_REASONS.AB09, 'erro no participante recebedor'],
      AB11: [FAILURE_REASONS.AB11, 'tempo esgotado no participante pagador'],
      AC03: [FAILURE_REASONS.AC03, 'agência ou conta inexistente'],
      AC06: [FAILURE_REASONS.AC06, 'conta bloqueada'],
      AC07: [FAILURE_REASONS.AC07, 'conta encerrada'],
      AC14: [FAILURE_REASONS.AC14, 'tipo de conta incorreto'],
      AG03: [FAILURE_REASONS.AG03, 'o tipo de conta não permite esta transação'],
      AM02: [FAILURE_REASONS.AM02, 'valor acima do limite da conta'],
      AM04: [FAILURE_REASONS.AM04, 'saldo insuficiente do participante pagador'],
      AM09: [FAILURE_REASONS.AM09, 'devolução acima do valor do pagamento'],
      BE01: [FAILURE_REASONS.BE01, 'o documento não pertence ao titular da conta'],
      BE08: [FAILURE_REASONS.BE08, 'devolvido por falha operacional do banco'],
      BE17: [FAILURE_REASONS.BE17, 'QR Code rejeitado pelo recebedor'],
      CH11: [FAILURE_REASONS.CH11, 'documento do recebedor incorreto'],
      DS04: [FAILURE_REASONS.DS04, 'ordem rejeitada pelo participante recebedor'],
      DUPL: [FAILURE_REASONS.DUPL, 'pagamento duplicado'],
      ED05: [FAILURE_REASONS.ED05, 'falha na liquidação'],
      FR01: [FAILURE_REASONS.FR01, 'devolvido por suspeita de fraude'],
      FRAD: [FAILURE_REASONS.FRAD, 'suspeita de fraude'],
      MD06: [FAILURE_REASONS.MD06, 'devolvido a pedido do recebedor'],
      RR04: [FAILURE_REASONS.RR04, 'pagador sob sanções da ONU'],
      SL02: [FAILURE_REASONS.SL02, 'devolvido por erro no Pix Saque ou Pix Troco'],
      UPAY: [FAILURE_REASONS.UPAY, 'pagamento indevido: sem recorrência ativa'],
    },
    webhook: {
      open: ['view in console', 'ver no console'],
      nobody: ['no subscribed endpoint', 'nenhum endpoint inscrito'],
      waiting: ['pending', 'pendente'],
      attempt: ['attempt', 'tentativa'],
      of: ['of', 'de'],
    },
    problems: {
      refused: ['Request rejected; nothing changed:', 'Requisição rejeitada; nada mudou:'],
      form: [
        'This form is no longer valid for this page. Nothing changed; try again.',
        'Este formulário não é mais válido para esta página. Nada mudou; tente novamente.',
      ],
      noButtons: [
        'Nothing changed: the buttons on this page are disabled.',
        'Nada mudou: os botões desta página estão desativados.',
      ],
    },
    nowhere: {
      title: ['Charge not found', 'Cobrança não encontrada'],
      text: [
        'No charge exists at this URL. Charges are lost when the sandbox is reset, or stopped without `--data`.',
        'Nenhuma cobrança nesta URL. As cobranças são perdidas ao redefinir o sandbox ou encerrá-lo sem `--data`.',
      ],
    },
  },
});

export type PageTexts = SingleLanguage<typeof TEXTS>;
/** Reason for a dead-end page. */
export type DeadEndKind = keyof PageTexts['deadEnds'];
/** A panel outcome: a status (§2.7) or a page error. */
export type PanelOutcome = keyof PageTexts['outcomes'];
export const PANEL_OUTCOMES = Object.keys(TEXTS.outcomes) as PanelOutcome[];

const ENGLISH: PageTexts = selectLanguage(TEXTS, 0);
const PORTUGUESE: PageTexts = selectLanguage(TEXTS, 1);

/** Returns Portuguese texts if the browser prefers Portuguese to English, otherwise English texts. */
export function selectPageTexts(acceptLanguage = ''): PageTexts {
  const wishes = acceptLanguage
    .toLowerCase()
    .split(',')
    .map((text) => {
      const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1;
      return { primary: range.split('-')[0] ?? '', weight: Number(quality) || 0 };
    });
  const [first] = wishes
    .filter(({ primary, weight }) => weight > 0 && (primary === 'pt' || primary === 'en'))
    .sort((a, b) => b.weight - a.weight);
  return first?.primary === 'pt' ? PORTUGUESE : ENGLISH;
}
