import { request } from 'node:http';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Asks as curl would: `fetch` would not let anybody name a foreign Host. */
export function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Reply> {
  return new Promise((settle, reject) => {
    const asking = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => settle({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on('error', reject);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
