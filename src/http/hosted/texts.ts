import { FAILURE_REASONS } from '../../contract/enums.js';
import { type InOneLanguage, inLanguage, textTable } from '../../text/i18n.js';

/** Every text of the hosted pages, in English and Portuguese. */
const TEXTS = textTable({
  language: ['en', 'pt-BR'],
  site: ['Identity check (sandbox)', 'Verificação de identidade (sandbox)'],
  errorPrefix: ['Error: ', 'Erro: '],
  banner: {
    tag: 'Sandbox',
    text: [
      'Nothing here is real. What you type stays in the sandbox, which only checks its format.',
      'Nada aqui é real. O que você digita fica no sandbox e só tem a forma conferida.',
    ],
  },
  progress: ['Progress', 'Andamento'],
  errorSummary: ['Please look at this again', 'Confira o que falta'],
  errorCode: ['Error code', 'Código de erro'],
  tryAgain: ['Try again', 'Tentar de novo'],
  resultNote: ['You can go back to the page you came from.', 'Você pode voltar à página de onde veio.'],
  close: ['Close', 'Fechar'],
  start: {
    title: ['Verify your identity', 'Verifique sua identidade'],
    lead: [
      'It takes two minutes. Have your document ready.',
      'Leva dois minutos. Tenha seu documento em mãos.',
    ],
    legend: ['Who should be verified?', 'Quem será verificado?'],
    individual: ['Me, a natural person (CPF)', 'Eu, pessoa física (CPF)'],
    business: ['A company (CNPJ)', 'Uma empresa (CNPJ)'],
    next: ['Begin', 'Começar'],
  },
  steps: {
    details: {
      step: ['Your details', 'Seus dados'],
      title: ['Who are you?', 'Quem é você?'],
      lead: [
        'We need two things to verify your identity.',
        'Precisamos de duas informações para verificar sua identidade.',
      ],
      next: ['Continue', 'Continuar'],
    },
    consent: {
      step: ['Consent', 'Consentimento'],
      title: ['Do you agree?', 'Você concorda?'],
      lead: [
        'We check this against public records and compare your face with your document.',
        'Consultamos registros públicos e comparamos seu rosto com seu documento.',
      ],
      next: ['Agree and continue', 'Concordar e continuar'],
    },
    camera: {
      step: ['Camera', 'Câmera'],
      title: ['Take a picture', 'Tire uma foto'],
      lead: [
        'Hold your document next to your face and look into the camera.',
        'Segure seu documento ao lado do rosto e olhe para a câmera.',
      ],
      next: ['Pretend to take the picture', 'Fingir que tirou a foto'],
    },
    decision: {
      step: ['Decision', 'Decisão'],
      title: ['What is the outcome?', 'Qual é a resposta?'],
      lead: [
        'The service would decide now. In the sandbox you decide: choose the outcome in the panel.',
        'Agora o serviço decidiria. No sandbox quem decide é você: escolha o resultado no painel.',
      ],
    },
  },
  individual: {
    name: ['Full name', 'Nome completo'],
    document: 'CPF',
    hint: [
      '11 digits, with or without punctuation. In the sandbox any valid number works: 123.456.789-09.',
      '11 dígitos, com ou sem pontuação. No sandbox vale qualquer número válido: 123.456.789-09.',
    ],
    problem: [
      'Enter a valid CPF: 11 digits with correct check digits.',
      'Digite um CPF válido: 11 dígitos, com os dois últimos conferindo.',
    ],
  },
  business: {
    name: ['Legal name of the company', 'Razão social'],
    document: 'CNPJ',
    hint: [
      '14 characters, with or without punctuation. In the sandbox any valid number works: 12.ABC.345/01DE-35.',
      '14 caracteres, com ou sem pontuação. No sandbox vale qualquer número válido: 12.ABC.345/01DE-35.',
    ],
    problem: [
      'Enter a valid CNPJ: 14 characters with correct check digits.',
      'Digite um CNPJ válido: 14 caracteres, com os dois últimos conferindo.',
    ],
  },
  consent: {
    name: ['Name', 'Nome'],
    document: ['Document', 'Documento'],
    box: [
      'I agree that my details and pictures are used to verify my identity.',
      'Concordo com o uso dos meus dados e imagens para verificar minha identidade.',
    ],
  },
  camera: {
    picture: [
      'A drawing of a face beside a document, in place of the camera picture.',
      'Desenho de um rosto ao lado de um documento, no lugar da imagem da câmera.',
    ],
    note: [
      'This step replaces the camera. The sandbox does not use your camera or take a picture.',
      'Esta etapa representa a câmera. O sandbox não pede acesso à câmera e não tira foto.',
    ],
  },
  panel: {
    tag: ['Sandbox only', 'Só no sandbox'],
    title: ['Choose the outcome', 'Escolha o resultado'],
    summary: ['Skip ahead: choose the outcome now', 'Pular etapas: escolher o resultado agora'],
    lead: [
      'No real page has this panel. It ends the verification with the outcome you choose.',
      'Nenhuma página real tem este painel. Ele encerra a verificação do jeito que você disser.',
    ],
    legend: ['Outcome', 'Resultado'],
    errorCodeHint: [
      'Used only by “Fail with an error code”. Capital letters, digits and underscores.',
      'Só vale para “Falhar com um código de erro”. Maiúsculas, dígitos e sublinhados.',
    ],
    delay: ['Delay before the result can be read', 'Espera até o resultado poder ser lido'],
    delayHint: [
      'Such as 2s, 5m or 1h. Until then the result is 409 NOT_TERMINAL, but the callback comes at once.',
      'Por exemplo 2s, 5m ou 1h. Até lá o resultado responde 409 NOT_TERMINAL, e o callback chega na hora.',
    ],
    submit: ['Decide', 'Decidir'],
    noPage: [
      'No registered page opened this one, so no page gets the outcome. Register pages with ' +
        '`npx sandbox start --origin URL`.',
      'Nenhuma página registrada abriu esta, então nenhuma fica sabendo do resultado. Registre ' +
        'páginas com `npx sandbox start --origin URL`.',
    ],
    report: ['What happened', 'O que aconteceu'],
    sent: ['Sent', 'Enviado'],
    sentTo: ['by postMessage to', 'por postMessage a'],
    calls: ['the SDK there calls', 'o SDK de lá chama'],
    unsent: [
      'nothing: no window of a registered page opened or embeds this one',
      'nada: nenhuma janela de uma página registrada abriu ou contém esta',
    ],
    status: 'Status',
    readable: ['Result can be read', 'Resultado legível'],
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
      title: ['Your identity is verified', 'Identidade verificada'],
      text: ['The verification was approved.', 'A verificação foi aprovada.'],
    },
    rejected: {
      label: ['Reject', 'Rejeitar'],
      hint: [
        'Result rejected; calls onError with REJECTED.',
        'Resultado rejected; chama onError com REJECTED.',
      ],
      title: ['We could not verify you', 'Não foi possível verificar você'],
      text: ['The verification was rejected.', 'A verificação foi rejeitada.'],
    },
    under_review: {
      label: ['Send to review', 'Enviar para análise'],
      hint: ['Result under_review; calls onReview.', 'Resultado under_review; chama onReview.'],
      title: ['We are looking into it', 'Estamos analisando'],
      text: [
        'The verification needs a review, which takes a while.',
        'A verificação precisa de análise, o que leva um tempo.',
      ],
    },
    cancelled: {
      label: ['Cancel', 'Cancelar'],
      hint: [
        'Result cancelled; calls onError with CANCELLED.',
        'Resultado cancelled; chama onError com CANCELLED.',
      ],
      title: ['Verification cancelled', 'Verificação cancelada'],
      text: ['The verification was cancelled.', 'A verificação foi cancelada antes do fim.'],
    },
    expired: {
      label: ['Let it expire', 'Deixar expirar'],
      hint: ['Result expired; calls onError with EXPIRED.', 'Resultado expired; chama onError com EXPIRED.'],
      title: ['Time is up', 'O tempo acabou'],
      text: ['The verification expired before it was finished.', 'A verificação expirou antes do fim.'],
    },
    error: {
      label: ['Fail with an error code', 'Falhar com um código de erro'],
      hint: [
        'The page fails, and the session stays undecided; calls onError with the code below.',
        'A página quebra e a sessão fica sem decisão; chama onError com o código abaixo.',
      ],
      title: ['Something went wrong', 'Algo deu errado'],
      text: [
        'The page failed; nothing has been decided yet.',
        'A página falhou, e nada está decidido ainda.',
      ],
    },
  },
  deadEnds: {
    finished: {
      title: ['This verification is over', 'Esta verificação terminou'],
      text: [
        'It has been decided and cannot be opened again. A new attempt needs a new session.',
        'Ela já foi decidida e não pode ser aberta de novo. Uma nova tentativa precisa de uma nova sessão.',
      ],
    },
    lapsed: {
      title: ['This verification has expired', 'Esta verificação expirou'],
      text: [
        'It was not finished in time. A new attempt needs a new session.',
        'Ninguém a concluiu a tempo. Uma nova tentativa precisa de uma nova sessão.',
      ],
    },
    unknownSession: {
      title: ['No such verification', 'Verificação não encontrada'],
      text: [
        'There is no verification session at this address. Sessions are lost when the sandbox stops or is reset.',
        'O endereço não leva a nenhuma sessão. As sessões somem quando o sandbox para ou é reiniciado.',
      ],
    },
    unknownPage: {
      title: ['No such page', 'Página não encontrada'],
      text: ['There is no page at this address.', 'Não há página neste endereço.'],
    },
    badMethod: {
      title: ['Not possible here', 'Não é possível aqui'],
      text: [
        'This address does not accept this kind of request.',
        'Este endereço não aceita esse tipo de requisição.',
      ],
    },
    badForm: {
      title: ['This form is no longer valid', 'Este formulário não vale mais'],
      text: [
        'It does not belong to this verification. Open the verification again from the page you came from.',
        'Ele não pertence a esta verificação. Abra a verificação de novo na página de onde veio.',
      ],
    },
    badMediaType: {
      title: ['Not a form', 'Não é um formulário'],
      text: [
        'This address accepts only forms: application/x-www-form-urlencoded.',
        'Este endereço só aceita formulários: application/x-www-form-urlencoded.',
      ],
    },
    unavailable: {
      title: ['Not available', 'Indisponível'],
      text: [
        'Identity verification is switched off in this sandbox, or has no credential.',
        'A verificação de identidade está desligada neste sandbox ou não tem credencial.',
      ],
    },
    unknownKey: {
      title: ['Unknown publishable key', 'Chave pública desconhecida'],
      text: [
        'No application has the publishable key in this address. `npx sandbox env` shows the right one.',
        'Nenhuma aplicação tem a chave deste endereço. `npx sandbox env` mostra a certa.',
      ],
    },
    unknownOrigin: {
      title: ['This page is not registered', 'Página não registrada'],
      text: [
        'The page that opened this one is not registered. Register its origin with `npx sandbox start --origin URL`.',
        'A página que abriu esta não está registrada. Registre a origem dela com `npx sandbox start --origin URL`.',
      ],
    },
    missingOrigin: {
      title: ['Not opened by a page', 'Aberta de lugar nenhum'],
      text: [
        'Without a session, the verification must be opened by a registered page, for example through the SDK.',
        'Sem sessão, a verificação precisa ser aberta por uma página registrada, por exemplo pelo SDK.',
      ],
    },
    failed: {
      title: ['The sandbox has a bug', 'O sandbox tem um defeito'],
      text: ['Its output shows what happened.', 'A saída dele mostra o que aconteceu.'],
    },
  },
  problems: {
    name: ['Enter a name.', 'Digite um nome.'],
    nameLength: ['Enter a name of at most 140 characters.', 'Digite um nome de até 140 caracteres.'],
    consent: [
      'Tick the box to agree; without consent the verification cannot continue.',
      'Marque a caixa para concordar; sem consentimento a verificação não continua.',
    ],
    outcome: ['Choose an outcome.', 'Escolha um resultado.'],
    errorCode: [
      'Enter an error code of capital letters, digits and underscores, such as PROVIDER_ERROR.',
      'Digite um código de maiúsculas, dígitos e sublinhados, como PROVIDER_ERROR.',
    ],
    delay: ['Enter a delay such as 0s, 2s, 5m or 1h.', 'Digite uma espera como 0s, 2s, 5m ou 1h.'],
    customerType: ['Choose who should be verified.', 'Escolha quem será verificado.'],
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
    simulated: ['(simulated)', '(simulado)'],
    frozen: ['(simulated, the clock is frozen)', '(simulado, o relógio está parado)'],
    code: ['Charge', 'Cobrança'],
    pix: ['Copy and paste code', 'Pix copia e cola'],
    copy: ['Copy code', 'Copiar código'],
    copied: ['Copied', 'Copiado'],
    lost: [
      'This page has lost the sandbox. Reload it to see what is true now.',
      'Esta página perdeu o sandbox. Recarregue para ver como está agora.',
    ],
    elsewhere: {
      title: ['Open this page on a phone', 'Abra esta página no celular'],
      picture: ['Address of this page', 'Endereço desta página'],
    },
    panelTag: ['Only in the sandbox', 'Só no sandbox'],
    panelTitle: ['Decide what happens', 'Escolha o que acontece'],
    reason: ['Reason of the failure', 'Motivo da falha'],
    button: (text: string) => text,
    reasons: {
      AB03: [FAILURE_REASONS.AB03, 'tempo esgotado no SPI'],
      AB09: [FAILURE_REASONS.AB09, 'erro no participante recebedor'],
      AC03: [FAILURE_REASONS.AC03, 'agência ou conta não existe'],
      AC06: [FAILURE_REASONS.AC06, 'conta bloqueada'],
      AC07: [FAILURE_REASONS.AC07, 'conta encerrada'],
      AG03: [FAILURE_REASONS.AG03, 'o tipo de conta não aceita esta transação'],
      AM02: [FAILURE_REASONS.AM02, 'valor acima do limite da conta'],
      AM04: [FAILURE_REASONS.AM04, 'saldo insuficiente do participante pagador'],
      BE01: [FAILURE_REASONS.BE01, 'o documento não é do titular da conta'],
      BE17: [FAILURE_REASONS.BE17, 'QR code rejeitado pelo recebedor'],
      DS04: [FAILURE_REASONS.DS04, 'ordem rejeitada pelo participante recebedor'],
      DUPL: [FAILURE_REASONS.DUPL, 'pagamento em duplicidade'],
      ED05: [FAILURE_REASONS.ED05, 'a liquidação falhou'],
      FRAD: [FAILURE_REASONS.FRAD, 'suspeita de fraude'],
    },
    webhook: {
      open: ['see it in the console', 'ver no console'],
      nobody: ['no endpoint receives it', 'nenhum endpoint recebe'],
      waiting: ['under way', 'a caminho'],
      attempt: ['attempt', 'tentativa'],
      of: ['of', 'de'],
    },
    problems: {
      refused: ['The sandbox refused this, and nothing changed:', 'O sandbox recusou, e nada mudou:'],
      form: [
        'This form does not belong to this page any more. Nothing changed; try again.',
        'Este formulário não vale mais para esta página. Nada mudou; tente de novo.',
      ],
      noButtons: [
        'Nothing changed: the buttons of this page are off here.',
        'Nada mudou: os botões desta página estão desligados aqui.',
      ],
    },
    nowhere: {
      title: ['There is no charge here', 'Não há cobrança aqui'],
      text: [
        'The address leads to no charge. Charges are gone when the sandbox stops or starts over.',
        'O endereço não leva a nenhuma cobrança. As cobranças somem quando o sandbox para ou recomeça.',
      ],
    },
  },
});

export type Texts = InOneLanguage<typeof TEXTS>;
/** Reason for a page without content. */
export type DeadEnd = keyof Texts['deadEnds'];
/** A choice in the sandbox's panel: a status of §2.7, or a failure of the page itself. */
export type Outcome = keyof Texts['outcomes'];
export const OUTCOMES = Object.keys(TEXTS.outcomes) as Outcome[];

const ENGLISH: Texts = inLanguage(TEXTS, 0);
const PORTUGUESE: Texts = inLanguage(TEXTS, 1);

/** The texts in the language a browser prefers: Portuguese where it ranks above English, otherwise English. */
export function textsFor(acceptLanguage = ''): Texts {
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
