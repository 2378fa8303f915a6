/** Chromium without a window, asked by its DevTools protocol over a pipe: https://chromedevtools.github.io/devtools-protocol. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A page in a browser. */
export interface BrowserPage {
  /** The value of an expression in the page. */
  readonly value: (expression: string) => Promise<unknown>;
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>;
}

/** Opens a file, and closes the browser afterwards. */
export async function inBrowser(file: string, use: (page: BrowserPage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
  const browser = spawn(
    'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--window-size=1200,600',
      '--remote-debugging-pipe',
      `--user-data-dir=${folder}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => browser.once('exit', () => resolve()));
  const waiting = new Map<number, (answer: Answer) => void>();
  let rest = '';
  (browser.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const answer of messages.map((message) => JSON.parse(message) as Answer)) {
      waiting.get(answer.id ?? 0)?.(answer);
    }
  });
  let last = 0;
  const ask = async (method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> => {
    const id = (last += 1);
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    (browser.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result = {}, error } = await answer;
    if (error !== undefined) {
      throw new Error(`${method}: ${error.message}`);
    }
    return result;
  };
  try {
    const { targetId } = await ask('Target.createTarget', { url: `file://${file}` });
    const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
    const send: BrowserPage['send'] = (method, params = {}) => ask(method, params, String(sessionId));
    const value: BrowserPage['value'] = async (expression) => {
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      if (exceptionDetails !== undefined) {
        throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
      }
      return (result as { readonly value?: unknown }).value;
    };
    // a new page is about:blank first
    while ((await value('location.protocol + document.readyState')) !== 'file:complete') {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await use({ value, send });
  } finally {
    browser.kill();
    await ended;
    await removed(folder);
  }
}

/** The other processes of a browser write into its profile a while longer. */
async function removed(folder: string): Promise<void> {
  for (let left = 50; ; left--) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
