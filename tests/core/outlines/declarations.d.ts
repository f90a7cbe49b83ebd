export declare class Client {
  constructor(url: string);
  send(body: string): Promise<void>;
  static readonly version: string;
}
export declare function connect(url: string): Client;
export declare function connect(url: URL): Client;
export declare const defaults: { timeout: number };
declare global {
  interface Window {
    client: Client;
  }
}
