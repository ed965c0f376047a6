// What the pages use besides the standard: see `typed_pages.py`.

interface HTMLElement {
  // `parts.js` adds these where a browser knows no dialogs.
  showModal(): void;
  close(): void;
  open: boolean;
  select(): void;
}

interface External {
  notify(event: string): void;
}

interface Window {
  // Telegram's applications, each with its own bridge.
  TelegramWebviewProxy?: { postEvent(type: string, data: string): void };
  TelegramGameProxy?: object;
  TelegramGameProxy_receiveEvent?: (type: string, data: object) => void;
  Telegram?: object;
}

type Cards = Map<string, Card>;
type Sting = { about: string; seats: SeatField[]; place?: number | false };
type Room = import("./room").Room;
type SeatPage = import("./seat_page").SeatPage;

declare module "*/names.js" {
  export const names: string[];
}

declare module "*/tv_names.js" {
  export const names: string[];
}

declare module "*/lit-html.js" {
  type Template = unknown;
  export function html(strings: TemplateStringsArray, ...values: unknown[]): Template;
  export function svg(strings: TemplateStringsArray, ...values: unknown[]): Template;
  export function render(shown: Template, into: HTMLElement): void;
  export const nothing: Template;
}
