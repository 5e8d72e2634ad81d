/** What was typed or chosen in a field of the form that is sent; empty when it has none of that name. */
export function fieldOf(event: Event, name: string): string {
  const value = new FormData(event.target as HTMLFormElement).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
