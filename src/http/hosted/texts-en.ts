import { FAILURE_REASONS, type FailureReason } from '../../contract/enums.js';

/** All texts of the hosted pages; each other language has the same keys. */
export const TEXTS_EN = {
  site: 'Identity check (sandbox)',
  errorPrefix: 'Error: ',
  banner: {
    tag: 'Sandbox',
    text: 'Nothing here is real. What you type stays in the sandbox, which only checks its format.',
  },
  progress: 'Progress',
  steps: ['Your details', 'Consent', 'Camera', 'Decision'],
  errorSummary: 'Please look at this again',
  details: {
    title: 'Who are you?',
    lead: 'We need two things to verify your identity.',
    legend: 'Your details',
    name: { individual: 'Full name', business: 'Legal name of the company' },
    document: { individual: 'CPF', business: 'CNPJ' },
    documentHint: {
      individual:
        '11 digits, with or without punctuation. In the sandbox any valid number works: 123.456.789-09.',
      business:
        '14 characters, with or without punctuation. In the sandbox any valid number works: 12.ABC.345/01DE-35.',
    },
    next: 'Continue',
  },
  consent: {
    title: 'Do you agree?',
    lead: 'We check this against public records and compare your face with your document.',
    name: 'Name',
    document: 'Document',
    legend: 'Consent',
    box: 'I agree that my details and pictures are used to verify my identity.',
    next: 'Agree and continue',
  },
  camera: {
    title: 'Take a picture',
    lead: 'Hold your document next to your face and look into the camera.',
    picture: 'A drawing of a face beside a document, in place of the camera picture.',
    stand: 'This step replaces the camera. The sandbox does not use your camera or take a picture.',
    next: 'Pretend to take the picture',
  },
  decision: {
    title: 'What is the outcome?',
    lead: 'The service would decide now. In the sandbox you decide: choose the outcome in the panel.',
  },
  panel: {
    tag: 'Sandbox only',
    title: 'Choose the outcome',
    summary: 'Skip ahead: choose the outcome now',
    lead: 'No real page has this panel. It ends the verification with the outcome you choose.',
    legend: 'Outcome',
    outcomes: {
      approved: { label: 'Approve', hint: 'Result approved, with a euid; calls onSuccess.' },
      rejected: { label: 'Reject', hint: 'Result rejected; calls onError with REJECTED.' },
      under_review: { label: 'Send to review', hint: 'Result under_review; calls onReview.' },
      cancelled: { label: 'Cancel', hint: 'Result cancelled; calls onError with CANCELLED.' },
      expired: { label: 'Let it expire', hint: 'Result expired; calls onError with EXPIRED.' },
      error: {
        label: 'Fail with an error code',
        hint: 'The page fails, and the session stays undecided; calls onError with the code below.',
      },
    },
    errorCode: 'Error code',
    errorCodeHint: 'Used only by “Fail with an error code”. Capital letters, digits and underscores.',
    delay: 'Delay before the result can be read',
    delayHint:
      'Such as 2s, 5m or 1h. Until then the result is 409 NOT_TERMINAL, but the callback comes at once.',
    submit: 'Decide',
    noPage:
      'No registered page opened this one, so no page gets the outcome. Register pages with ' +
      '`npx sandbox start --origin URL`.',
    report: 'What happened',
    sent: 'Sent',
    sentTo: 'by postMessage to',
    calls: 'the SDK there calls',
    unsent: 'nothing: no window of a registered page opened or embeds this one',
    status: 'Status',
    readable: 'Result can be read',
    readableNow: 'now',
    readableLater: 'after',
  },
  start: {
    title: 'Verify your identity',
    lead: 'It takes two minutes. Have your document ready.',
    legend: 'Who should be verified?',
    individual: 'Me, a natural person (CPF)',
    business: 'A company (CNPJ)',
    next: 'Begin',
  },
  results: {
    approved: { title: 'Your identity is verified', text: 'The verification was approved.' },
    rejected: { title: 'We could not verify you', text: 'The verification was rejected.' },
    under_review: {
      title: 'We are looking into it',
      text: 'The verification needs a review, which takes a while.',
    },
    cancelled: { title: 'Verification cancelled', text: 'The verification was cancelled.' },
    expired: { title: 'Time is up', text: 'The verification expired before it was finished.' },
    error: { title: 'Something went wrong', text: 'The page failed; nothing has been decided yet.' },
  },
  errorCode: 'Error code',
  tryAgain: 'Try again',
  resultNote: 'You can go back to the page you came from.',
  close: 'Close',
  deadEnds: {
    finished: {
      title: 'This verification is over',
      text: 'It has been decided and cannot be opened again. A new attempt needs a new session.',
    },
    lapsed: {
      title: 'This verification has expired',
      text: 'It was not finished in time. A new attempt needs a new session.',
    },
    unknownSession: {
      title: 'No such verification',
      text: 'There is no verification session at this address. Sessions are lost when the sandbox stops or is reset.',
    },
    unknownPage: { title: 'No such page', text: 'There is no page at this address.' },
    badMethod: { title: 'Not possible here', text: 'This address does not accept this kind of request.' },
    badForm: {
      title: 'This form is no longer valid',
      text: 'It does not belong to this verification. Open the verification again from the page you came from.',
    },
    badMediaType: {
      title: 'Not a form',
      text: 'This address accepts only forms: application/x-www-form-urlencoded.',
    },
    unavailable: {
      title: 'Not available',
      text: 'Identity verification is switched off in this sandbox, or has no credential.',
    },
    unknownKey: {
      title: 'Unknown publishable key',
      text: 'No application has the publishable key in this address. `npx sandbox env` shows the right one.',
    },
    unknownOrigin: {
      title: 'This page is not registered',
      text:
        'The page that opened this one is not registered. Register its origin with `npx sandbox ' +
        'start --origin URL`.',
    },
    missingOrigin: {
      title: 'Not opened by a page',
      text: 'Without a session, the verification must be opened by a registered page, for example through the SDK.',
    },
    failed: { title: 'The sandbox has a bug', text: 'Its output shows what happened.' },
  },
  problems: {
    name: 'Enter a name.',
    nameLength: 'Enter a name of at most 140 characters.',
    document: {
      individual: 'Enter a valid CPF: 11 digits with correct check digits.',
      business: 'Enter a valid CNPJ: 14 characters with correct check digits.',
    },
    consent: 'Tick the box to agree; without consent the verification cannot continue.',
    outcome: 'Choose an outcome.',
    errorCode: 'Enter an error code of capital letters, digits and underscores, such as PROVIDER_ERROR.',
    delay: 'Enter a delay such as 0s, 2s, 5m or 1h.',
    customerType: 'Choose who should be verified.',
  },
  pay: {
    site: 'PIX sandbox',
    banner: { tag: 'TEST ENVIRONMENT', text: 'no real money' },
    statuses: { PENDING: 'Waiting for payment', SETTLED: 'Paid', FAILED: 'Failed', EXPIRED: 'Expired' },
    expiresIn: 'expires in',
    simulated: '(simulated)',
    frozen: '(simulated, the clock is frozen)',
    code: 'Charge',
    pix: 'Copy and paste code',
    copy: 'Copy code',
    copied: 'Copied',
    lost: 'This page has lost the sandbox. Reload it to see what is true now.',
    elsewhere: { title: 'Open this page on a phone', picture: 'Address of this page' },
    panelTag: 'Only in the sandbox',
    panelTitle: 'Decide what happens',
    reason: 'Reason of the failure',
    actions: { pay: 'Pay', fail: 'Fail', expire: 'Expire', late: 'Pay late' },
    reasons: { ...FAILURE_REASONS } as Record<FailureReason, string>,
    webhook: {
      open: 'see it in the console',
      nobody: 'no endpoint receives it',
      waiting: 'under way',
      attempt: 'attempt',
      of: 'of',
    },
    problems: {
      refused: 'The sandbox refused this, and nothing changed:',
      form: 'This form does not belong to this page any more. Nothing changed; try again.',
      noButtons: 'Nothing changed: the buttons of this page are off here.',
    },
    nowhere: {
      title: 'There is no charge here',
      text: 'The address leads to no charge. Charges are gone when the sandbox stops or starts over.',
    },
  },
};
