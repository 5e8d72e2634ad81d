/** The body of every error (§7). */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    readonly details: readonly { readonly field: string; readonly message: string }[];
    readonly hint?: string;
  };
}
